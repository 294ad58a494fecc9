package dev.waybill.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class LeftOutTest {

  @Test
  void nothingUnlessAsked() {
    assertThat(LeftOut.of("").isEmpty()).isTrue();
    assertThat(LeftOut.of("").contains(Edition.MYSQL)).isFalse();
  }

  @Test
  void oneEditionByItsOwnName() {
    LeftOut leftOut = LeftOut.of(" postgresql-14 , MySQL");
    assertThat(Edition.values())
        .filteredOn(leftOut::contains)
        .containsExactly(Edition.OLDEST_POSTGRESQL, Edition.MYSQL);
  }

  @Test
  void aMisspeltNameIsRefused() {
    assertThatThrownBy(() -> LeftOut.of("mysqll"))
        .hasMessageContaining("mysqll")
        .hasMessageContaining("mariadb");
  }
}
