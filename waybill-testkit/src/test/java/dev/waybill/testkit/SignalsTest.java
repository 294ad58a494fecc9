package dev.waybill.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class SignalsTest {
  private static final Duration SOON = Duration.ofSeconds(10);

  private final Signals signals = new Signals();

  @Test
  void remembersWhatAlreadyHappened() throws Exception {
    signals.fire("a");
    signals.await("a", SOON);
    assertThat(signals.count("a")).isOne();
  }

  @Test
  void wakesTheWaiterAtTheLastOfSoManyTimes() throws Exception {
    signals.fire("a");
    var waiting =
        CompletableFuture.runAsync(
            () -> {
              try {
                signals.fire("waiting");
                signals.await("a", 3, SOON);
                signals.fire("woken");
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
            });
    signals.await("waiting", SOON);
    signals.fire("a");
    signals.fire("b");
    signals.fire("a");
    waiting.get(10, TimeUnit.SECONDS);
    assertThat(signals.events()).containsExactly("a", "waiting", "a", "b", "a", "woken");
  }

  @Test
  void failsTheTestThatWaitsInVain() {
    signals.fire("b");
    assertThatThrownBy(() -> signals.await("a", Duration.ofMillis(1)))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("\"a\" 1 times")
        .hasMessageContaining("[b]");
  }
}
