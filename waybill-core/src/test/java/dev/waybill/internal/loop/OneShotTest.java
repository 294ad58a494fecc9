package dev.waybill.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class OneShotTest {
  private final OneShot shot = new OneShot(Time.system());

  @Test
  void whatHasHappenedIsNotWaitedFor() throws Exception {
    shot.happen();
    assertThat(shot.await(Duration.ZERO)).isTrue();
    assertThat(shot.await(Duration.ofDays(400_000))).isTrue();
  }

  @Test
  void theTimeMayBeOverFirst() throws Exception {
    assertThat(shot.await(Duration.ZERO)).isFalse();
    assertThat(shot.await(Duration.ofMillis(1))).isFalse();
  }

  @Test
  void allWhoWaitLearnIt() throws Exception {
    CompletableFuture<Boolean> one = waiting();
    CompletableFuture<Boolean> two = waiting();
    shot.happen();
    assertThat(one.get(30, TimeUnit.SECONDS)).isTrue();
    assertThat(two.get(30, TimeUnit.SECONDS)).isTrue();
  }

  private CompletableFuture<Boolean> waiting() {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return shot.await(Duration.ofSeconds(30));
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
        },
        task -> new Thread(task, "waiting").start());
  }
}
