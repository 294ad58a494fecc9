package dev.waybill.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class HandoverTest {
  private final Handover<String> handover = new Handover<>();

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
}
