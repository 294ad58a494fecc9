package dev.waybill.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;

@EveryDatabase(alsoOldest = true)
class EveryDatabaseTest {

  private final TestDatabase database;

  EveryDatabaseTest(TestDatabase database) {
    this.database = database;
  }

  @Test
  void answersInTheVersionThatItsLabelSays() throws SQLException {
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("select 1")) {
      assertThat(row.next()).isTrue();
      assertThat(row.getInt(1)).isEqualTo(1);
      String productAndVersion =
          connection.getMetaData().getDatabaseProductName()
              + " "
              + connection.getMetaData().getDatabaseProductVersion();
      assertThat(productAndVersion).startsWith(database.label());
    }
  }
}
