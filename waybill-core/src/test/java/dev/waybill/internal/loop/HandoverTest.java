package dev.waybill.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class HandoverTest {
  private final ManualTime time = new ManualTime();
  private final Handover<String> handover = new Handover<>(time);

  @Test
  void whatIsGivenFirstIsTakenByAll() {
    handover.give("first");
    handover.give("second");
    assertThat(handover.take()).isEqualTo("first");
    assertThat(handover.take()).isEqualTo("first");
  }

  @Test
  void anInterruptIsLeftForAfterwards() throws Exception {
    var interrupted = new CompletableFuture<Boolean>();
    Thread taker =
        new Thread(
            () -> {
              Thread.currentThread().interrupt();
              handover.take();
              interrupted.complete(Thread.interrupted());
            });
    taker.start();
    handover.give("value");
    assertThat(interrupted.get(20, TimeUnit.SECONDS)).isTrue();
    taker.join();
  }

  @Test
  void patienceEnds() throws Exception {
    var taken =
        CompletableFuture.supplyAsync(
            () -> handover.take(Duration.ofMillis(5)), run -> new Thread(run).start());
    time.awaitParked(1);
    time.advance(Duration.ofMillis(5));
    assertThat(taken.get(20, TimeUnit.SECONDS)).isEmpty();
  }

  @Test
  void whatIsGivenInTimeIsTaken() throws Exception {
    var taken =
        CompletableFuture.supplyAsync(
            () -> handover.take(Duration.ofMillis(5)), run -> new Thread(run).start());
    time.awaitParked(1);
    handover.give("value");
    assertThat(taken.get(20, TimeUnit.SECONDS)).contains("value");
  }
}
