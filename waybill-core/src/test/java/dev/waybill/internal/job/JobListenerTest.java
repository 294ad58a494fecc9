package dev.waybill.internal.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.Migrated;
import dev.waybill.internal.job.JobBench.Running;
import dev.waybill.internal.store.JobLeaseStore.Claim;
import dev.waybill.job.JobDefinition;
import dev.waybill.job.JobRequest;
import dev.waybill.job.JobResult;
import dev.waybill.job.JobStatistics;
import dev.waybill.job.JobStatus;
import dev.waybill.job.RetryPolicy;
import dev.waybill.job.Schedule;
import dev.waybill.job.Scope;
import dev.waybill.spi.JobListener;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Listeners hear everything once it is true, and cannot do any harm. */
@EveryDatabase
@Timeout(120)
class JobListenerTest {
  private final JobBench bench;
  private final Notes notes = new Notes();

  JobListenerTest(TestDatabase database) {
    this.bench =
        JobBench.on(
            Migrated.on(database),
            JobDefinition.of("a")
                .withMaxAttempts(2)
                .withRetryPolicy(RetryPolicy.standard().withDelay("again", Duration.ofMillis(1))));
  }

  /** Writes down what it hears. */
  private static final class Notes implements JobListener {
    private final LinkedBlockingQueue<String> heard = new LinkedBlockingQueue<>();

    @Override
    public void enqueued(String type, int jobs) {
      heard.add("enqueued " + jobs + " " + type);
    }

    @Override
    public void claimed(String type, int jobs) {
      heard.add("claimed " + jobs + " " + type);
    }

    @Override
    public void started(Attempt attempt) {
      heard.add("started " + attempt.run() + "." + attempt.attempt());
    }

    @Override
    public void ended(Attempt attempt, End end) {
      heard.add(
          "ended "
              + attempt.run()
              + "."
              + attempt.attempt()
              + " "
              + end.outcome()
              + " "
              + end.becomes());
    }

    @Override
    public void leaseLost(Attempt attempt) {
      heard.add("lost " + attempt.run() + "." + attempt.attempt());
    }

    @Override
    public void canceled(UUID job, String type, String reason) {
      heard.add("canceled " + reason);
    }

    @Override
    public void fired(String schedule, Instant scheduledFor, UUID job) {
      heard.add("fired " + schedule);
    }

    String next() throws InterruptedException {
      String one = heard.poll(10, TimeUnit.SECONDS);
      return one == null ? "nothing" : one;
    }
  }

  /** Breaks on everything. */
  private static final class Broken implements JobListener {
    @Override
    public void enqueued(String type, int jobs) {
      throw new IllegalStateException("enqueued");
    }

    @Override
    public void claimed(String type, int jobs) {
      throw new IllegalStateException("claimed");
    }

    @Override
    public void started(Attempt attempt) {
      throw new AssertionError("started");
    }

    @Override
    public void ended(Attempt attempt, End end) {
      throw new IllegalStateException("ended");
    }
  }

  @Test
  void theyHearWhatBecomesOfAJobThoughOneOfThemBreaks() throws Exception {
    Map<Integer, JobResult> results =
        Map.of(
            1, JobResult.retry("again", "not yet"),
            2, JobResult.continueAfter(Duration.ZERO),
            3, JobResult.fail("no", "never"));
    try (Running workers =
        bench.start(
            JobBench.quick("w1"),
            Map.of(
                "a",
                context ->
                    results.getOrDefault(
                        context.run() + context.attempt() - 1, JobResult.success())),
            List.of(new Broken(), notes))) {
      UUID id = workers.jobs().enqueue(JobRequest.of("a").build()).id();
      bench.await(id, JobStatus.DEAD_LETTERED);
      List<String> heard = new ArrayList<>();
      do {
        heard.add(notes.next());
      } while (!heard.contains("ended 3.1 TERMINAL DEAD_LETTERED") && !heard.contains("nothing"));
      assertThat(heard).first().isEqualTo("enqueued 1 a");
      assertThat(heard).filteredOn(each -> each.equals("claimed 1 a")).hasSize(4);
      assertThat(heard)
          .filteredOn(each -> each.startsWith("started"))
          .containsExactly("started 1.1", "started 1.2", "started 2.1", "started 3.1");
      assertThat(heard)
          .filteredOn(each -> each.startsWith("ended"))
          .containsExactly(
              "ended 1.1 RETRYABLE SCHEDULED",
              "ended 1.2 CONTINUED PENDING",
              "ended 2.1 CONTINUED PENDING",
              "ended 3.1 TERMINAL DEAD_LETTERED");
      JobStatistics statistics = workers.jobs().statistics();
      assertThat(statistics).isEqualTo(new JobStatistics(1, 4, 0, 2, 1, 1, 0, 0, 0, 0, 0, 0, 0));
    }
  }

  @Test
  void theyHearOfWhatOthersDidToAJob() throws Exception {
    CountDownLatch running = new CountDownLatch(2);
    CountDownLatch told = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    try (Running workers =
        bench.start(
            JobBench.quick("w1"),
            Map.of(
                "a",
                context -> {
                  context.onCancel(told::countDown);
                  running.countDown();
                  go.await();
                  return JobResult.success();
                }),
            List.of(notes))) {
      UUID canceled = workers.jobs().enqueue(JobRequest.of("a").build()).id();
      UUID lost = workers.jobs().enqueue(JobRequest.of("a").build()).id();
      assertThat(running.await(10, TimeUnit.SECONDS)).isTrue();
      workers.jobs().cancel(Scope.admin(), canceled, "enough");
      assertThat(told.await(10, TimeUnit.SECONDS)).isTrue();
      // Somebody else has it now.
      bench.home().execute("update waybill_job set worker = 'other' where status = 2");
      go.countDown();
      while (!notes.heard.contains("lost 1.1")) {
        Thread.onSpinWait();
      }
      assertThat(notes.heard).contains("canceled enough");
      assertThat(workers.jobs().statistics().leasesLost()).isEqualTo(1);
      assertThat(workers.jobs().statistics().canceled()).isEqualTo(1);
      assertThat(bench.get(lost).status()).isEqualTo(JobStatus.LEASED);
    }
  }

  @Test
  void theyHearOfTheDeadAndOfSchedules() throws Exception {
    bench.jobs().enqueue(JobRequest.of("a").build());
    List<Claim> dead = bench.claim("dead", 1, Duration.ofMinutes(1), "a");
    assertThat(dead).hasSize(1);
    bench.age(Duration.ofMinutes(2));
    try (Running workers = bench.start(JobBench.quick("w1"), Map.of(), List.of(notes))) {
      assertThat(notes.next()).isEqualTo("ended 1.1 LEASE_EXPIRED SCHEDULED");
      workers.jobs().schedules().put(Schedule.of("daily", "a", "@daily"));
      workers.jobs().schedules().trigger("daily");
      assertThat(notes.next()).isEqualTo("enqueued 1 a");
      assertThat(notes.next()).isEqualTo("fired daily");
      assertThat(workers.jobs().statistics().reaped()).isEqualTo(1);
      assertThat(workers.jobs().statistics().retried()).isEqualTo(1);
      assertThat(workers.jobs().statistics().fired()).isEqualTo(1);
    }
  }
}
