package dev.waybill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.waybill.job.JobDefinition;
import dev.waybill.job.JobException;
import dev.waybill.job.JobRequest;
import dev.waybill.job.JobResult;
import dev.waybill.job.JobStatus;
import dev.waybill.job.JobsBuilder;
import dev.waybill.job.Scope;
import dev.waybill.outbox.Service;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.TestDatabase;
import dev.waybill.workflow.Step;
import dev.waybill.workflow.Workflow;
import dev.waybill.workflow.WorkflowException;
import dev.waybill.workflow.WorkflowStatus;
import dev.waybill.workflow.WorkflowsBuilder;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What ended long enough ago is deleted, if that was asked for. */
@EveryDatabase
class RetentionTest {
  private static final Duration DAY = Duration.ofDays(1);
  private static final long TWO_DAYS = Duration.ofDays(2).toNanos() / 1000;

  private final TestDatabase database;

  RetentionTest(TestDatabase database) {
    this.database = Migrated.on(database);
  }

  @Test
  void whatEndedLongEnoughAgoIsDeletedAndNothingElse() throws Exception {
    UUID succeeded;
    UUID canceled;
    UUID run;
    UUID waiting;
    try (Waybill waybill =
        Waybill.builder(database.pool(10))
            .jobs(jobs -> jobs.define(JobDefinition.of("a"), job -> JobResult.success()))
            .workflows(workflows -> {})
            .start()) {
      succeeded = waybill.jobs().enqueue(JobRequest.of("a").build()).id();
      canceled = waybill.jobs().enqueue(JobRequest.of("a").delay(Duration.ofDays(9)).build()).id();
      waybill.jobs().cancel(Scope.global(), canceled, "not wanted");
      run = waybill.workflows().start(workflow(Step.job("s", "a"))).id();
      waiting = waybill.workflows().start(workflow(Step.job("s", "a"), Step.gate("g"))).id();
      Service.await(
          () -> waybill.jobs().find(Scope.global(), succeeded).orElseThrow().status().isTerminal());
      assertThat(waybill.workflows().await(Scope.global(), run, Duration.ofSeconds(30)).status())
          .isEqualTo(WorkflowStatus.SUCCEEDED);
    }
    database.execute(
        "update waybill_job set finished_at = finished_at - " + TWO_DAYS,
        "update waybill_workflow set finished_at = finished_at - " + TWO_DAYS);

    try (Waybill waybill =
        Waybill.builder(database.pool(10))
            .jobs(
                jobs ->
                    jobs.define(JobDefinition.of("a"), job -> JobResult.success())
                        .keep(JobStatus.SUCCEEDED, DAY)
                        .keep(JobStatus.CANCELED, DAY.multipliedBy(3)))
            .workflows(workflows -> workflows.keep(WorkflowStatus.SUCCEEDED, DAY))
            .start()) {
      Service.await(() -> waybill.jobs().find(Scope.global(), succeeded).isEmpty());
      Service.await(() -> waybill.workflows().find(Scope.global(), run).isEmpty());
      assertThat(waybill.jobs().find(Scope.global(), canceled)).isPresent();
      assertThat(waybill.workflows().steps(Scope.global(), waiting)).hasSize(2);
    }
  }

  private static Workflow workflow(Step.Builder... steps) {
    Workflow.Builder workflow = Workflow.of("flow");
    for (Step.Builder step : steps) {
      workflow.step(step);
    }
    return workflow.build();
  }

  @Test
  void onlyWhatHasEndedHasARetention() {
    JobsBuilder jobs = new JobsBuilder();
    assertThatThrownBy(() -> jobs.keep(JobStatus.PENDING, DAY))
        .isInstanceOf(JobException.InvalidArgument.class)
        .hasMessageContaining("PENDING");
    assertThatThrownBy(() -> jobs.keep(JobStatus.SUCCEEDED, DAY.negated()))
        .isInstanceOf(JobException.InvalidArgument.class);
    assertThatThrownBy(jobs.keep(JobStatus.CANCELED, DAY).withoutWorkers()::build)
        .isInstanceOf(JobException.InvalidArgument.class)
        .hasMessageContaining("withoutWorkers()");
    WorkflowsBuilder workflows = new WorkflowsBuilder();
    assertThatThrownBy(() -> workflows.keep(WorkflowStatus.RUNNING, DAY))
        .isInstanceOf(WorkflowException.InvalidArgument.class)
        .hasMessageContaining("RUNNING");
    assertThatThrownBy(() -> workflows.keep(WorkflowStatus.FAILED, Duration.ofDays(40_000)))
        .isInstanceOf(WorkflowException.InvalidArgument.class);
  }
}
