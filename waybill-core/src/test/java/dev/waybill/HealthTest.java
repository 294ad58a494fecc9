package dev.waybill;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.job.JobDefinition;
import dev.waybill.job.JobRequest;
import dev.waybill.job.JobResult;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.Fault;
import dev.waybill.testkit.FaultyDataSource;
import dev.waybill.testkit.Hold;
import dev.waybill.testkit.TestDatabase;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Health knows of every worker, those of jobs included. */
@EveryDatabase
class HealthTest {
  private static final Duration SOON = Duration.ofSeconds(30);

  private final FaultyDataSource faulty;

  HealthTest(TestDatabase database) {
    this.faulty = new FaultyDataSource(Migrated.on(database).pool(10));
  }

  private static Fault claim(int nth) {
    return Fault.sql(
        nth, sql -> sql.contains("j.turn <= ") || sql.contains("front as materialized"));
  }

  @Test
  void aWorkerThatFailsIsNamedUntilItSucceeds() throws Exception {
    CountDownLatch ran = new CountDownLatch(1);
    faulty.on(claim(1)).fail(Fault.Moment.BEFORE);
    Hold second = faulty.on(claim(2)).hold();
    Hold third = faulty.on(claim(3)).hold();
    try (Waybill waybill =
        Waybill.builder(faulty)
            .jobs(
                jobs ->
                    jobs.define(
                        JobDefinition.of("mail"),
                        context -> {
                          ran.countDown();
                          return JobResult.success();
                        }))
            .start()) {
      waybill.jobs().enqueue(JobRequest.of("mail").build());
      second.awaitReached(SOON);
      assertThat(waybill.health().isHealthy()).isFalse();
      assertThat(waybill.health().failing()).containsOnlyKeys("job-claimer");

      second.release();
      assertThat(ran.await(30, TimeUnit.SECONDS)).isTrue();
      waybill.jobs().enqueue(JobRequest.of("mail").build());
      third.awaitReached(SOON);
      assertThat(waybill.health().isHealthy()).isTrue();
      third.release();
    }
  }
}
