package dev.waybill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.waybill.job.JobDefinition;
import dev.waybill.job.JobRequest;
import dev.waybill.job.JobResult;
import dev.waybill.job.JobStatus;
import dev.waybill.job.Scope;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.NotOn;
import dev.waybill.testkit.TestDatabase;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Jobs through the one door that users build. */
@EveryDatabase
class WaybillJobsTest {
  private final TestDatabase database;

  WaybillJobsTest(TestDatabase database) {
    this.database = Migrated.on(database);
  }

  @Test
  void aJobEnqueuedInATransactionRunsAndEnds() throws Exception {
    BlockingQueue<UUID> ran = new LinkedBlockingQueue<>();
    UUID id;
    try (Waybill waybill =
        Waybill.builder(database.pool(10))
            .jobs(
                jobs ->
                    jobs.define(
                        JobDefinition.of("invoice"),
                        context -> {
                          ran.add(context.id());
                          return JobResult.success();
                        }))
            .start()) {
      UUID[] enqueued = new UUID[1];
      waybill
          .outbox()
          .inTransaction(
              connection ->
                  enqueued[0] =
                      waybill.jobs().enqueue(connection, JobRequest.of("invoice").build()).id());
      waybill.jobs().wake();
      id = enqueued[0];
      assertThat(ran.poll(30, TimeUnit.SECONDS)).isEqualTo(id);
    }
    try (Waybill waybill = Waybill.builder(database.pool(5)).jobs(jobs -> {}).start()) {
      assertThat(waybill.jobs().find(Scope.global(), id))
          .hasValueSatisfying(job -> assertThat(job.status()).isEqualTo(JobStatus.SUCCEEDED));
    }
  }

  @Test
  @NotOn(
      value = {DatabaseProduct.MYSQL, DatabaseProduct.MARIADB, DatabaseProduct.SQLITE},
      why = "they pass no notices on: workers look from time to time")
  void aJobEnqueuedByAnotherProcessIsNotWaitedFor() throws Exception {
    BlockingQueue<UUID> ran = new LinkedBlockingQueue<>();
    Duration never = Duration.ofHours(1);
    try (Waybill worker =
            Waybill.builder(database.pool(10))
                .jobs(
                    jobs ->
                        jobs.options(options -> options.withPoll(never, never))
                            .define(
                                JobDefinition.of("invoice"),
                                context -> {
                                  ran.add(context.id());
                                  return JobResult.success();
                                }))
                .start();
        Waybill producer = Waybill.builder(database.pool(5)).jobs(jobs -> {}).start()) {
      for (int i = 0; i < 3; i++) {
        UUID id = producer.jobs().enqueue(JobRequest.of("invoice").build()).id();
        assertThat(ran.poll(30, TimeUnit.SECONDS)).isEqualTo(id);
      }
      assertThat(worker.health().isHealthy()).isTrue();
    }
  }

  @Test
  void withoutJobsThereIsNoDoor() {
    try (Waybill waybill = Waybill.builder(database.pool(5)).start()) {
      assertThatThrownBy(waybill::jobs)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("jobs(…)");
    }
  }
}
