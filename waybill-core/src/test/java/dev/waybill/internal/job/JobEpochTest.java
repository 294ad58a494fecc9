package dev.waybill.internal.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.Migrated;
import dev.waybill.internal.job.JobBench.Running;
import dev.waybill.job.Enqueued;
import dev.waybill.job.JobContext;
import dev.waybill.job.JobDefinition;
import dev.waybill.job.JobHandler;
import dev.waybill.job.JobInfo;
import dev.waybill.job.JobRequest;
import dev.waybill.job.JobResult;
import dev.waybill.job.JobStatus;
import dev.waybill.job.Requeue;
import dev.waybill.job.RetryPolicy;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.Signals;
import dev.waybill.testkit.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** No two calls of a job's handler have the same fencing token, and later ones have larger ones. */
@EveryDatabase
@Timeout(120)
@SuppressWarnings("try") // That the workers run is all that is wanted of them.
class JobEpochTest {
  private final JobBench bench;
  private final Signals signals = new Signals();
  private final List<Long> epochs = new CopyOnWriteArrayList<>();
  private final List<Integer> attempts = new CopyOnWriteArrayList<>();

  JobEpochTest(TestDatabase database) {
    RetryPolicy atOnce =
        RetryPolicy.standard().withBase(Duration.ofMillis(1)).withCap(Duration.ofMillis(1));
    this.bench = JobBench.on(Migrated.on(database), JobDefinition.of("a").withRetryPolicy(atOnce));
  }

  private void note(JobContext context) {
    epochs.add(context.leaseEpoch());
    attempts.add(context.attempt());
  }

  private Enqueued enqueue() {
    return bench.jobs().enqueue(JobRequest.of("a").build());
  }

  /** Its first call may still have a request on its way to somebody when the second is made. */
  @Test
  void whatAShutdownGaveBackHasALargerOne() throws Exception {
    Enqueued job = enqueue();
    Running first =
        bench.start(
            "a",
            context -> {
              note(context);
              signals.fire("running");
              new CountDownLatch(1).await(); // until it is interrupted
              return JobResult.success();
            });
    signals.await("running", JobBench.SOON);
    first.engine().askToStop();
    assertThat(first.crew().stop(Duration.ofMillis(50)).isClean()).isTrue();
    first.engine().handBack();
    try (Running second = bench.start("a", noting())) {
      bench.await(job.id(), JobStatus.SUCCEEDED);
    }
    assertThat(attempts).containsExactly(1, 1);
    assertThat(epochs).containsExactly(1L, 2L);
  }

  private JobHandler noting() {
    return context -> {
      note(context);
      return JobResult.success();
    };
  }

  @Test
  void soHaveRetriesRunsAndRequeues() throws Exception {
    Enqueued job = enqueue();
    JobHandler handler =
        context -> {
          note(context);
          return switch (epochs.size()) {
            case 1 -> throw new IllegalStateException("again");
            case 2 -> JobResult.continueAfter(Duration.ZERO);
            case 3 -> JobResult.fail("no", "use");
            default -> JobResult.success();
          };
        };
    try (Running workers = bench.start("a", handler)) {
      JobInfo dead = bench.await(job.id(), JobStatus.DEAD_LETTERED);
      assertThat(bench.jobs().requeue(Requeue.of(dead, "once more")))
          .isInstanceOf(Requeue.Outcome.Requeued.class);
      bench.await(job.id(), JobStatus.SUCCEEDED);
    }
    assertThat(epochs).containsExactly(1L, 2L, 3L, 4L);
  }
}
