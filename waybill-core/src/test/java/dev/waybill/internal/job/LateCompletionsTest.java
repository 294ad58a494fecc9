package dev.waybill.internal.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.internal.job.JobSettlement.Ended;
import dev.waybill.internal.loop.Crew;
import dev.waybill.internal.loop.Next;
import dev.waybill.internal.loop.Time;
import dev.waybill.internal.store.JobLeaseStore.Claim;
import dev.waybill.testkit.Signals;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LateCompletionsTest {
  private final Crew crew = new Crew(Time.system());
  private final LateCompletions late = new LateCompletions(crew, Time.system(), 2);
  private final LinkedBlockingQueue<Ended> begun = new LinkedBlockingQueue<>();
  private final Semaphore go = new Semaphore(0);
  private final Signals signals = new Signals();

  @AfterEach
  void stop() {
    go.release(100);
    crew.stop(Duration.ofSeconds(10));
  }

  private static Ended ended() {
    UUID id = UUID.randomUUID();
    Claim claim =
        new Claim(id, "t", "", 1, 1, 1, 1, 3, 1, null, 1, null, null, null, null, null, "{}", null);
    return new Ended(
        new JobRun(claim, "me", 0, Duration.ofMinutes(1), Runnable::run), Ending.released());
  }

  private void resume() {
    late.resume(
        each -> {
          begun.add(each);
          go.acquireUninterruptibly();
        },
        () -> signals.fire("room"));
  }

  private void resumeUntilBegun(int count) {
    while (begun.size() < count) {
      resume();
      Thread.onSpinWait();
    }
  }

  @Test
  void noMoreAreAtItThanThereAreSlots() throws Exception {
    crew.start();
    for (int i = 0; i < 5; i++) {
      late.add(ended(), i % 2 == 0);
    }
    assertThat(late.held()).isEqualTo(3);
    resumeUntilBegun(2);
    resume();
    assertThat(begun).hasSize(2);
    assertThat(late.next()).as("whoever is done rings").isEqualTo(Next.whenRung());
    go.release();
    signals.await("room", JobBench.SOON);
    resumeUntilBegun(3);
    assertThat(late.rest()).hasSize(2);
    assertThat(late.rest()).isEmpty();
  }

  @Test
  void whatNoThreadCanBeHadForIsKept() {
    late.add(ended(), false);
    Next wait = late.next();
    assertThat(wait).isNotEqualTo(Next.whenRung());
    while (!late.next().equals(Next.whenRung(Duration.ofMillis(1)))) {
      Thread.onSpinWait();
    }
    resume();
    assertThat(begun).isEmpty();
    assertThat(late.rest()).hasSize(1);
    assertThat(late.next()).isEqualTo(Next.whenRung());
  }
}
