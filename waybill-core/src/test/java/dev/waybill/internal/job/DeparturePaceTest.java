package dev.waybill.internal.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class DeparturePaceTest {
  private static final long START = Long.MAX_VALUE - 5;

  private final DeparturePace pace = new DeparturePace(START);
  private long now = START;

  private boolean after(Duration duration) {
    now += duration.toNanos();
    return pace.allows(now);
  }

  @Test
  void whoComesNowAndThenDeparts() {
    for (int i = 0; i < 100; i++) {
      assertThat(after(Duration.ofMillis(1))).isTrue();
    }
  }

  @Test
  void ofManyAtOnceAFewDepartAndTheNextOnesWhenItIsQuieter() {
    for (int i = 0; i < 16; i++) {
      assertThat(after(Duration.ofNanos(100))).isTrue();
    }
    assertThat(after(Duration.ofNanos(100))).isFalse();
    assertThat(after(Duration.ofMillis(49))).isFalse();
    assertThat(after(Duration.ofMillis(1))).isTrue();
  }
}
