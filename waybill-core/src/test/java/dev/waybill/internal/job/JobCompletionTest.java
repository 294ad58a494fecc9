package dev.waybill.internal.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.DatabaseException;
import dev.waybill.DatabaseException.Kind;
import dev.waybill.Migrated;
import dev.waybill.internal.job.JobBench.Running;
import dev.waybill.job.AttemptOutcome;
import dev.waybill.job.JobAttempt;
import dev.waybill.job.JobDefinition;
import dev.waybill.job.JobHandler;
import dev.waybill.job.JobRequest;
import dev.waybill.job.JobResult;
import dev.waybill.job.JobStatus;
import dev.waybill.job.Scope;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.NotOn;
import dev.waybill.testkit.Signals;
import dev.waybill.testkit.TestDatabase;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a result writes in the transaction that settles its attempt. */
@EveryDatabase
@Timeout(120)
@SuppressWarnings("try") // That the workers run is all that is wanted of them.
class JobCompletionTest {
  private final JobBench bench;
  private final Signals signals = new Signals();

  JobCompletionTest(TestDatabase database) {
    this.bench = JobBench.on(Migrated.on(database), JobDefinition.of("mail"));
  }

  /** What Waybill itself says of the database there is no worse than what the driver says. */
  @Test
  void aCompletionThatIsInSomebodysWayIsRepeatedAndTheHandlerIsNot() throws Exception {
    AtomicInteger calls = new AtomicInteger();
    AtomicInteger tries = new AtomicInteger();
    UUID job = bench.jobs().enqueue(JobRequest.of("mail").build()).id();
    try (Running workers =
        bench.start(
            "mail",
            context -> {
              calls.incrementAndGet();
              return JobResult.success()
                  .inTransaction(
                      connection -> {
                        if (tries.incrementAndGet() < 3) {
                          throw new DatabaseException(Kind.CONTENTION, "a deadlock, say", null);
                        }
                      });
            })) {
      bench.await(job, JobStatus.SUCCEEDED);
    }
    assertThat(calls).hasValue(1);
    assertThat(tries).hasValue(3);
    assertThat(bench.jobs().attempts(Scope.admin(), job))
        .extracting(JobAttempt::outcome)
        .containsExactly(AttemptOutcome.SUCCEEDED);
  }

  /** It may wait for the locks of anybody, and other jobs have ended meanwhile. */
  @Test
  @NotOn(value = DatabaseProduct.SQLITE, why = "whoever writes holds the whole file")
  void whatIsTriedAgainHoldsUpNobody() throws Exception {
    AtomicInteger tries = new AtomicInteger();
    JobHandler handler =
        context ->
            context.payload().equals("1")
                ? JobResult.success()
                    .inTransaction(
                        connection -> {
                          if (tries.incrementAndGet() == 1) {
                            throw new DatabaseException(Kind.DISCONNECTED, "lost, say", null);
                          }
                          signals.fire("waits");
                          await("go");
                        })
                : JobResult.success();
    try (Running workers = bench.start("mail", handler)) {
      UUID waits = enqueue("1");
      signals.await("waits", JobBench.SOON);
      for (int i = 0; i < 5; i++) {
        bench.await(enqueue("2"), JobStatus.SUCCEEDED);
      }
      assertThat(bench.get(waits).status()).isEqualTo(JobStatus.LEASED);
      signals.fire("go");
      bench.await(waits, JobStatus.SUCCEEDED);
    }
    assertThat(tries).hasValue(2);
  }

  private UUID enqueue(String payload) {
    return bench.jobs().enqueue(JobRequest.of("mail").payload(payload).build()).id();
  }

  private void await(String signal) {
    try {
      signals.await(signal, Duration.ofSeconds(60));
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
