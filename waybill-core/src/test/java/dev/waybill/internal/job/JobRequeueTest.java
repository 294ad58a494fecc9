package dev.waybill.internal.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.waybill.Migrated;
import dev.waybill.internal.job.JobBench.Running;
import dev.waybill.internal.store.JobLeaseStore;
import dev.waybill.internal.store.JobLeaseStore.Claim;
import dev.waybill.internal.store.JobLeaseStore.Lease;
import dev.waybill.job.AttemptOutcome;
import dev.waybill.job.Enqueued;
import dev.waybill.job.JobDefinition;
import dev.waybill.job.JobEvent;
import dev.waybill.job.JobException.InvalidArgument;
import dev.waybill.job.JobInfo;
import dev.waybill.job.JobRequest;
import dev.waybill.job.JobResult;
import dev.waybill.job.JobStatus;
import dev.waybill.job.Replay;
import dev.waybill.job.Requeue;
import dev.waybill.job.RetryPolicy;
import dev.waybill.job.Scope;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.NotOn;
import dev.waybill.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What may run again, and what stays with a job when it does. */
@EveryDatabase
@Timeout(120)
class JobRequeueTest {
  private static final Duration LEASE = Duration.ofMinutes(1);

  private final JobBench bench;

  JobRequeueTest(TestDatabase database) {
    this.bench = JobBench.on(Migrated.on(database), JobDefinition.of("a").withMaxAttempts(1));
  }

  private UUID ended(JobRequest request, JobResult result, JobStatus status) throws Exception {
    UUID id = bench.jobs().enqueue(request).id();
    try (Running workers = bench.start("a", context -> result)) {
      workers.jobs().wake();
      bench.await(id, status);
    }
    return id;
  }

  @Test
  void aDeadLetterRunsAgainAndIsNoneAnyMore() throws Exception {
    UUID id = ended(JobRequest.of("a").build(), JobResult.fail("x", "y"), JobStatus.DEAD_LETTERED);
    assertThat(bench.jobs().requeue(Requeue.of(bench.get(id), "mended")))
        .isEqualTo(new Requeue.Outcome.Requeued(2));
    JobInfo again = bench.get(id);
    assertThat(again.status()).isEqualTo(JobStatus.PENDING);
    assertThat(again.errorCode()).isNull();
    assertThat(bench.jobs().count("a", JobStatus.DEAD_LETTERED, 10)).isZero();
    assertThat(bench.jobs().attempts(Scope.admin(), id)).hasSize(1);
  }

  @Test
  void aKeyThatIsUniqueWhileActiveIsSoAgain() throws Exception {
    JobRequest unique = JobRequest.of("a").uniqueWhileActive("index").build();
    UUID first = ended(unique, JobResult.fail("x", "y"), JobStatus.DEAD_LETTERED);
    JobInfo dead = bench.get(first);
    UUID second = bench.jobs().enqueue(unique).id();
    assertThat(second).isNotEqualTo(first);
    assertThat(bench.jobs().requeue(Requeue.of(dead, "again")))
        .isEqualTo(new Requeue.Outcome.Occupied(second));
    assertThat(bench.get(first)).isEqualTo(dead);
    bench.jobs().cancel(Scope.admin(), second, "make room");
    assertThat(bench.jobs().requeue(Requeue.of(dead, "again")))
        .isEqualTo(new Requeue.Outcome.Requeued(2));
    Enqueued third = bench.jobs().enqueue(unique);
    assertThat(third.id()).isEqualTo(first);
    assertThat(third.outcome()).isEqualTo(Enqueued.Outcome.EXISTING);
  }

  @Test
  @NotOn(value = DatabaseProduct.SQLITE, why = "whoever writes holds the whole file")
  void whoExpectsSomethingElseWaitsForNobody() throws Exception {
    UUID id = bench.jobs().enqueue(JobRequest.of("a").build()).id();
    JobInfo seen = bench.jobs().cancel(Scope.admin(), id, "x");
    bench.jobs().requeue(Requeue.of(seen, "again"));
    bench.claim("w", 1, LEASE, "a");
    try (Connection worker = bench.home().connect();
        Statement statement = worker.createStatement()) {
      worker.setAutoCommit(false);
      statement.execute("select id from waybill_job order by id for update");
      assertThat(bench.jobs().requeue(Requeue.of(seen, "again")))
          .isEqualTo(new Requeue.Outcome.Mismatch(JobStatus.LEASED, 2));
      worker.rollback();
    }
  }

  @Test
  void oneOfManyEqualReplaysMakesTheJob() throws Exception {
    UUID source =
        ended(
            JobRequest.of("a").resourceKey("printer").priority(7).build(),
            JobResult.success(),
            JobStatus.SUCCEEDED);
    Replay order = new Replay(Scope.global(), source, 1, "once", "because");
    ExecutorService threads = Executors.newFixedThreadPool(4);
    Set<UUID> made = new HashSet<>();
    try {
      List<Callable<Replay.Outcome>> calls = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        calls.add(() -> bench.jobs().replay(order));
      }
      for (Future<Replay.Outcome> call : threads.invokeAll(calls)) {
        made.add(((Replay.Outcome.Replayed) call.get()).job().id());
      }
    } finally {
      threads.shutdownNow();
    }
    assertThat(made).hasSize(1);
    JobInfo replay = bench.get(made.iterator().next());
    assertThat(replay.resourceKey()).isEqualTo("printer");
    assertThat(replay.priority()).isEqualTo(7);
    assertThat(bench.count("waybill_job")).isEqualTo(2);
    assertThatThrownBy(() -> new Replay(Scope.global(), source, 1, " ", "x"))
        .isInstanceOf(InvalidArgument.class);
    assertThatThrownBy(() -> new Replay(Scope.global(), source, 1, "x", "\u00a0"))
        .isInstanceOf(InvalidArgument.class);
  }

  /** However an attempt ends, its resource is free for the next. */
  @ParameterizedTest
  @EnumSource(
      value = AttemptOutcome.class,
      mode = EnumSource.Mode.EXCLUDE,
      names = "CANCELED") // While its lease lasts, a canceled handler may still be at it.
  void everyEndFreesTheResource(AttemptOutcome outcome) {
    JobRequest request = JobRequest.of("a").resourceKey("printer").build();
    bench.jobs().enqueue(request);
    UUID second = bench.jobs().enqueue(request).id();
    Claim claim = bench.claim("w", 1, LEASE, "a").get(0);
    assertThat(bench.claim("w", 5, LEASE, "a")).isEmpty();
    settle(claim, outcome);
    List<UUID> next = bench.claim("w", 1, LEASE, "a").stream().map(Claim::id).toList();
    assertThat(next).hasSize(1).first().isIn(claim.id(), second);
    if (outcome == AttemptOutcome.RELEASED) {
      assertThat(bench.jobs().events(Scope.admin(), claim.id(), 0, 10))
          .extracting(JobEvent::kind)
          .containsExactly(JobEvent.Kind.RELEASED);
    } else {
      assertThat(bench.jobs().attempts(Scope.admin(), claim.id())).hasSize(1);
    }
  }

  private void settle(Claim claim, AttemptOutcome outcome) {
    bench
        .database()
        .transact(
            tx -> {
              JobLeaseStore store = JobLeaseStore.in(tx);
              List<Lease> leases = store.lockForSettling(List.of(JobBench.fence(claim, "w")));
              store.settle(
                  leases.stream()
                      .map(
                          lease ->
                              new Verdict(() -> 0)
                                  .on(
                                      lease,
                                      outcome == AttemptOutcome.RELEASED
                                          ? Ending.released()
                                          : Ending.of(outcome, null, null),
                                      RetryPolicy.standard()))
                      .toList());
              return true;
            });
  }

  @Test
  void aDeadProcessDoesNotKeepItsResource() throws Exception {
    JobRequest request = JobRequest.of("a").resourceKey("printer").build();
    bench.jobs().enqueue(request);
    UUID second = bench.jobs().enqueue(request).id();
    bench.claim("dead", 1, LEASE, "a");
    bench.age(LEASE.plusSeconds(1));
    assertThat(bench.claim("w", 5, LEASE, "a")).as("nobody has found out yet").isEmpty();
    try (Running workers = bench.start("a", context -> JobResult.success())) {
      workers.jobs().wake();
      bench.await(second, JobStatus.SUCCEEDED);
    }
  }
}
