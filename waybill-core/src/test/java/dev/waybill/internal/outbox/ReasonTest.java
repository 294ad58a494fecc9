package dev.waybill.internal.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ReasonTest {
  @Test
  void isKeptAsItIsUpToALimit() {
    assertThat(Reason.of("warehouse busy\n😀")).isEqualTo("warehouse busy\n😀");
    assertThat(Reason.of("😀".repeat(1_000))).hasSize(2_000);
    assertThat(Reason.of("😀".repeat(1_001))).isEqualTo("😀".repeat(1_000) + "…");
  }

  @Test
  void hasNoCharacterThatADatabaseRefuses() {
    assertThat(Reason.of("a\0b\ud800c")).isEqualTo("a?b?c");
  }

  @Test
  void ofAnExceptionIsItsTypeAndMessage() {
    assertThat(Reason.of(new IllegalStateException("no")))
        .isEqualTo("java.lang.IllegalStateException: no");
    assertThat(Reason.of(new IllegalStateException())).isEqualTo("java.lang.IllegalStateException");
  }
}
