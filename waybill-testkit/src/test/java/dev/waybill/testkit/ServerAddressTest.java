package dev.waybill.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class ServerAddressTest {

  @Test
  void takesUserAndPasswordOutOfTheUrlAndKeepsTheRest() {
    ServerAddress address =
        ServerAddress.parse(
            DatabaseProduct.POSTGRESQL,
            "jdbc:postgresql://db:5433/main?user=u&sslmode=disable&password=p%26q");
    assertThat(address.database("fresh"))
        .isEqualTo(
            new DatabaseAddress(
                DatabaseProduct.POSTGRESQL,
                "jdbc:postgresql://db:5433/fresh?sslmode=disable",
                "u",
                "p&q"));
    assertThat(address.admin().url()).isEqualTo("jdbc:postgresql://db:5433/main?sslmode=disable");
  }

  @Test
  void needsNoDatabase() {
    assertThat(ServerAddress.parse(DatabaseProduct.MYSQL, "jdbc:mysql://db:3306").admin().url())
        .isEqualTo("jdbc:mysql://db:3306/");
  }

  @Test
  void refusesAnotherProduct() {
    assertThatThrownBy(() -> ServerAddress.parse(DatabaseProduct.MARIADB, "jdbc:mysql://db:3306/x"))
        .hasMessageContaining("jdbc:mariadb://");
  }
}
