package dev.waybill.internal.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.Migrated;
import dev.waybill.internal.job.JobBench.Running;
import dev.waybill.job.JobContext;
import dev.waybill.job.JobDefinition;
import dev.waybill.job.JobHandler;
import dev.waybill.job.JobRequest;
import dev.waybill.job.JobResult;
import dev.waybill.job.Scope;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.TestDatabase;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Limits hold while several processes claim at the same time. */
@EveryDatabase
@Timeout(180)
@SuppressWarnings("try") // That the workers run is all that is wanted of them.
class JobRaceTest {
  private static final int JOBS = 30;

  private final JobBench bench;
  private final AtomicInteger atOnce = new AtomicInteger();
  private final AtomicInteger most = new AtomicInteger();

  JobRaceTest(TestDatabase database) {
    this.bench =
        JobBench.on(
            Migrated.on(database),
            JobDefinition.of("two").withMaxRunning(2),
            JobDefinition.of("rated").withRate(5, Duration.ofHours(1)),
            JobDefinition.of("a"),
            JobDefinition.of("b"));
  }

  private void enqueue(JobRequest request, int many) throws Exception {
    try (Connection connection = bench.home().connect()) {
      connection.setAutoCommit(false);
      bench.jobs().enqueueAll(connection, java.util.Collections.nCopies(many, request));
      connection.commit();
    }
  }

  private JobHandler counting() {
    return context -> {
      most.accumulateAndGet(atOnce.incrementAndGet(), Math::max);
      // A round trip, so that there is somebody to meet.
      context.log(JobContext.Level.INFO, "here");
      atOnce.decrementAndGet();
      return JobResult.success();
    };
  }

  /** By three processes. */
  private void runAll(String... types) throws Exception {
    Map<String, JobHandler> handlers = new java.util.HashMap<>();
    for (String type : types) {
      handlers.put(type, counting());
    }
    try (Running one = bench.start(JobBench.quick("w1"), handlers);
        Running two = bench.start(JobBench.quick("w2"), handlers);
        Running three = bench.start(JobBench.quick("w3"), handlers)) {
      bench.awaitNone("waybill_job where status <> 3", Duration.ofSeconds(90));
    }
  }

  @Test
  void aTypesLimit() throws Exception {
    enqueue(JobRequest.of("two").build(), JOBS);
    runAll("two");
    assertThat(most.get()).isBetween(1, 2);
  }

  @Test
  void aResourceOverTypesAndTenants() throws Exception {
    enqueue(JobRequest.of("a").resourceKey("printer").build(), JOBS / 2);
    enqueue(JobRequest.of("b").scope(Scope.tenant("t")).resourceKey("printer").build(), JOBS / 2);
    runAll("a", "b");
    assertThat(most.get()).isEqualTo(1);
  }

  @Test
  void aRate() throws Exception {
    enqueue(JobRequest.of("rated").build(), JOBS);
    ExecutorService threads = Executors.newFixedThreadPool(4);
    int claimed = 0;
    try {
      List<Callable<Integer>> calls = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        String worker = "w" + i;
        calls.add(
            () -> {
              int mine = 0;
              for (int round = 0; round < 5; round++) {
                mine += bench.claim(worker, 2, Duration.ofMinutes(1), "rated").size();
              }
              return mine;
            });
      }
      for (Future<Integer> call : threads.invokeAll(calls)) {
        claimed += call.get();
      }
    } finally {
      threads.shutdownNow();
    }
    // What was left because the type's row was held at each look, one claim takes.
    claimed += bench.claim("last", 10, Duration.ofMinutes(1), "rated").size();
    assertThat(claimed).isEqualTo(5);
    assertThat(bench.claim("last", 10, Duration.ofMinutes(1), "rated")).isEmpty();
  }

  @Test
  void aClockThatIsSetBackHoldsUpNoRate() throws Exception {
    enqueue(JobRequest.of("rated").build(), JOBS);
    assertThat(bench.claim("w", 10, Duration.ofMinutes(1), "rated")).hasSize(5);
    // As if the last claims had been a day later.
    bench.home().execute("update waybill_job_definition set rate_at = rate_at + 86400000000");
    assertThat(bench.claim("w", 10, Duration.ofMinutes(1), "rated")).isEmpty();
    // Five an hour: in a quarter of an hour there is one again.
    bench.home().execute("update waybill_job_definition set rate_at = rate_at - 900000000");
    assertThat(bench.claim("w", 10, Duration.ofMinutes(1), "rated")).hasSize(1);
  }
}
