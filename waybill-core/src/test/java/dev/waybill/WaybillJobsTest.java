package dev.waybill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.waybill.job.JobDefinition;
import dev.waybill.job.JobRequest;
import dev.waybill.job.JobResult;
import dev.waybill.job.JobStatus;
import dev.waybill.job.Scope;
import dev.waybill.schema.Schema;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.TestDatabase;
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
    this.database = database.fresh();
    Schema.migrate(this.database.dataSource());
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
  void withoutJobsThereIsNoDoor() {
    try (Waybill waybill = Waybill.builder(database.pool(5)).start()) {
      assertThatThrownBy(waybill::jobs)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("jobs(…)");
    }
  }
}
