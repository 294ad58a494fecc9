package dev.waybill.internal.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.waybill.Migrated;
import dev.waybill.internal.job.JobBench.Running;
import dev.waybill.job.Enqueued;
import dev.waybill.job.JobDefinition;
import dev.waybill.job.JobEvent;
import dev.waybill.job.JobException.InvalidArgument;
import dev.waybill.job.JobException.InvalidTransition;
import dev.waybill.job.JobException.JobNotFound;
import dev.waybill.job.JobException.ReplayConflict;
import dev.waybill.job.JobFilter;
import dev.waybill.job.JobInfo;
import dev.waybill.job.JobRequest;
import dev.waybill.job.JobResult;
import dev.waybill.job.JobStatus;
import dev.waybill.job.Replay;
import dev.waybill.job.Requeue;
import dev.waybill.job.Scope;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@EveryDatabase
@Timeout(120)
class JobOperationsTest {
  private static final Duration LEASE = Duration.ofMinutes(1);
  private static final Scope ACME = Scope.tenant("acme");

  private final JobBench bench;

  JobOperationsTest(TestDatabase database) {
    this.bench = JobBench.on(Migrated.on(database), JobDefinition.of("a"), JobDefinition.of("b"));
  }

  private UUID enqueue(Scope scope) {
    return bench.jobs().enqueue(JobRequest.of("a").scope(scope).payload("{\"x\":1}").build()).id();
  }

  private UUID succeeded() throws Exception {
    UUID id = enqueue(Scope.global());
    try (Running workers = bench.start("a", context -> JobResult.success("1"))) {
      workers.jobs().wake();
      bench.await(id, JobStatus.SUCCEEDED);
    }
    return id;
  }

  @Test
  void aScopeSeesAndCancelsOnlyItsOwn() {
    UUID global = enqueue(Scope.global());
    UUID acme = enqueue(ACME);
    assertThat(bench.jobs().find(ACME, acme)).isPresent();
    assertThat(bench.jobs().find(ACME, global)).isEmpty();
    assertThat(bench.jobs().find(Scope.global(), acme)).isEmpty();
    assertThat(bench.jobs().body(Scope.global(), acme)).isEmpty();
    assertThatThrownBy(() -> bench.jobs().cancel(ACME, global, "x"))
        .isInstanceOf(JobNotFound.class);
    assertThatThrownBy(() -> bench.jobs().cancel(Scope.global(), acme, "x"))
        .isInstanceOf(JobNotFound.class);
    assertThat(bench.jobs().cancel(ACME, acme, "x").status()).isEqualTo(JobStatus.CANCELED);
    assertThat(bench.jobs().cancel(Scope.admin(), global, "x").reason()).isEqualTo("x");
    assertThatThrownBy(() -> bench.jobs().cancel(ACME, acme, "again"))
        .isInstanceOfSatisfying(
            InvalidTransition.class, e -> assertThat(e.actual()).isEqualTo(JobStatus.CANCELED));
  }

  @Test
  void aRequeueHappensOnlyIfTheJobIsWhatWasSeen() throws Exception {
    UUID id = enqueue(ACME);
    JobInfo canceled = bench.jobs().cancel(ACME, id, "x");
    Requeue order = Requeue.of(canceled, "again, please");
    assertThat(bench.jobs().requeue(new Requeue(Scope.global(), id, order.status(), 1, true, "r")))
        .isEqualTo(new Requeue.Outcome.NotFound());
    assertThat(bench.jobs().requeue(new Requeue(ACME, id, JobStatus.DEAD_LETTERED, 1, true, "r")))
        .isEqualTo(new Requeue.Outcome.Mismatch(JobStatus.CANCELED, 1));
    assertThat(bench.jobs().requeue(order)).isEqualTo(new Requeue.Outcome.Requeued(2));
    assertThat(bench.jobs().requeue(order))
        .isEqualTo(new Requeue.Outcome.Mismatch(JobStatus.PENDING, 2));
    JobInfo pending = bench.get(id);
    assertThat(pending.run()).isEqualTo(2);
    assertThat(pending.attempt()).isZero();
    assertThat(pending.finishedAt()).isNull();
    assertThat(bench.jobs().events(ACME, id, 0, 10))
        .extracting(JobEvent::kind)
        .containsExactly(JobEvent.Kind.CANCELED, JobEvent.Kind.REQUEUED);
    assertThat(bench.claim("w", 1, LEASE, "a")).hasSize(1);
    assertThatThrownBy(() -> Requeue.of(bench.get(id), "x")).isInstanceOf(InvalidArgument.class);
  }

  @Test
  void aJobCanceledWhileItRanIsRequeuedWhenItsHandlerCannotRunAnyMore() throws Exception {
    UUID id = enqueue(ACME);
    bench.claim("w", 1, LEASE, "a");
    Requeue order = Requeue.of(bench.jobs().cancel(ACME, id, "x"), "again");
    assertThat(bench.jobs().requeue(order))
        .isInstanceOfSatisfying(
            Requeue.Outcome.NotQuiesced.class,
            outcome -> assertThat(outcome.retryAfter()).isEqualTo(bench.get(id).leaseUntil()));
    bench.age(LEASE.plusSeconds(1));
    assertThat(bench.jobs().requeue(order)).isEqualTo(new Requeue.Outcome.Requeued(2));
  }

  @Test
  void aReplayIsANewJobAndItsKeyMakesItOnce() throws Exception {
    UUID source = succeeded();
    Replay order = new Replay(Scope.global(), source, 1, "r1", "bug fixed");
    Enqueued replay = ((Replay.Outcome.Replayed) bench.jobs().replay(order)).job();
    assertThat(replay.id()).isNotEqualTo(source);
    assertThat(bench.jobs().body(Scope.admin(), replay.id()).orElseThrow())
        .isEqualTo(new JobInfo.Body("{\"x\":1}", null, null));
    Enqueued again = ((Replay.Outcome.Replayed) bench.jobs().replay(order)).job();
    assertThat(again.id()).isEqualTo(replay.id());
    assertThat(again.outcome()).isEqualTo(Enqueued.Outcome.EXISTING);
    assertThatThrownBy(
            () -> bench.jobs().replay(new Replay(Scope.global(), source, 1, "r1", "other")))
        .isInstanceOf(ReplayConflict.class);
    assertThat(bench.jobs().replay(new Replay(Scope.global(), source, 2, "r2", "x")))
        .isEqualTo(new Replay.Outcome.Mismatch(JobStatus.SUCCEEDED, 1));
    assertThat(bench.jobs().replay(new Replay(ACME, source, 1, "r3", "x")))
        .isEqualTo(new Replay.Outcome.NotFound());
    assertThat(bench.jobs().replay(new Replay(Scope.global(), replay.id(), 1, "r4", "x")))
        .isEqualTo(new Replay.Outcome.Mismatch(JobStatus.PENDING, 1));
    assertThat(bench.get(source).status()).isEqualTo(JobStatus.SUCCEEDED);
  }

  @Test
  void jobsAreListedPageByPageNewestFirst() {
    List<UUID> all = new ArrayList<>();
    for (int i = 0; i < 7; i++) {
      all.add(0, enqueue(i % 2 == 0 ? ACME : Scope.global()));
    }
    List<UUID> seen = new ArrayList<>();
    JobFilter filter = JobFilter.of(Scope.admin()).withLimit(3);
    for (List<JobInfo> page = bench.jobs().list(filter);
        !page.isEmpty();
        page = bench.jobs().list(filter.withAfter(seen.get(seen.size() - 1)))) {
      page.forEach(job -> seen.add(job.id()));
    }
    assertThat(seen).isEqualTo(all);
    assertThat(bench.jobs().list(JobFilter.of(ACME))).hasSize(4);
    assertThat(bench.jobs().list(JobFilter.of(Scope.global()))).hasSize(3);
    assertThat(bench.jobs().list(JobFilter.of(Scope.admin()).withType("b"))).isEmpty();
    bench.jobs().cancel(Scope.admin(), all.get(0), "x");
    assertThat(bench.jobs().list(JobFilter.of(Scope.admin()).withStatus(JobStatus.CANCELED)))
        .extracting(JobInfo::id)
        .containsExactly(all.get(0));
    assertThat(bench.jobs().list(JobFilter.of(Scope.admin()).withErrorCode("nope"))).isEmpty();
    assertThat(
            bench
                .jobs()
                .list(
                    JobFilter.of(Scope.admin())
                        .withCreated(bench.get(all.get(0)).createdAt(), null)))
        .extracting(JobInfo::id)
        .contains(all.get(0))
        .doesNotContain(all.get(6));
    assertThat(bench.jobs().count("a", JobStatus.PENDING, 5)).isEqualTo(5);
    assertThat(bench.jobs().count("a", JobStatus.PENDING, 100)).isEqualTo(6);
    assertThatThrownBy(() -> JobFilter.of(ACME).withLimit(0)).isInstanceOf(InvalidArgument.class);
    assertThatThrownBy(() -> JobFilter.of(ACME).withLimit(1001))
        .isInstanceOf(InvalidArgument.class);
  }

  @Test
  void endedJobsAreListedByTheirEndHoweverOldTheyAre() throws Exception {
    UUID first = enqueue(ACME);
    UUID second = enqueue(Scope.global());
    UUID third = enqueue(ACME);
    for (UUID id : List.of(third, first, second)) {
      bench.jobs().cancel(Scope.admin(), id, "x");
      bench.age(Duration.ofMinutes(1));
    }
    enqueue(ACME);
    assertThat(ended(null, 10)).containsExactly(second, first, third);
    assertThat(ended(null, 2)).containsExactly(second, first);
    assertThat(ended(first, 2)).containsExactly(third);
    assertThat(ended(third, 2)).isEmpty();
    assertThat(ended(new UUID(1, 1), 2)).as("it was purged meanwhile").isEmpty();
    assertThat(bench.jobs().list(JobFilter.of(Scope.admin()).withStatus(JobStatus.SUCCEEDED)))
        .isEmpty();
    assertThat(
            bench
                .jobs()
                .list(JobFilter.of(ACME).withStatus(JobStatus.CANCELED).withType("a").withLimit(1)))
        .extracting(JobInfo::id)
        .containsExactly(first);
  }

  private List<UUID> ended(@Nullable UUID after, int limit) {
    JobFilter filter = JobFilter.of(Scope.admin()).withStatus(JobStatus.CANCELED).withLimit(limit);
    return bench.jobs().list(after == null ? filter : filter.withAfter(after)).stream()
        .map(JobInfo::id)
        .toList();
  }

  @Test
  void endedJobsArePurgedWithEverythingAboutThem() throws Exception {
    UUID old = succeeded();
    bench
        .home()
        .execute(
            "insert into waybill_job_attempt (job_id, run, attempt, worker, leased_at, finished_at,"
                + " outcome) select id, 1, 0, 'x', 0, 0, 1 from waybill_job");
    assertThat(bench.jobs().attempts(Scope.admin(), old)).hasSize(2);
    UUID kept = enqueue(ACME);
    UUID young = enqueue(ACME);
    bench.jobs().cancel(ACME, young, "x");
    assertThat(bench.count("waybill_job_attempt")).isPositive();
    assertThat(bench.jobs().purge(JobStatus.SUCCEEDED, Duration.ofDays(1), 10)).isZero();
    bench.age(Duration.ofDays(2));
    assertThat(bench.jobs().purge(JobStatus.SUCCEEDED, Duration.ofDays(1), 10)).isEqualTo(1);
    assertThat(bench.jobs().find(Scope.admin(), old)).isEmpty();
    assertThat(bench.count("waybill_job_attempt")).isZero();
    assertThat(bench.jobs().find(Scope.admin(), young)).isPresent();
    assertThat(bench.jobs().purge(JobStatus.CANCELED, Duration.ofDays(1), 10)).isEqualTo(1);
    assertThat(bench.count("waybill_job_event")).isZero();
    assertThat(bench.jobs().find(Scope.admin(), kept)).isPresent();
    assertThatThrownBy(() -> bench.jobs().purge(JobStatus.LEASED, Duration.ZERO, 10))
        .isInstanceOf(InvalidArgument.class);
  }
}
