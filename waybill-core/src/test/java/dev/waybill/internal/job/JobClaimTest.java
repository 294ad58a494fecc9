package dev.waybill.internal.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.Migrated;
import dev.waybill.internal.job.JobBench.Running;
import dev.waybill.internal.store.JobLeaseStore;
import dev.waybill.internal.store.JobLeaseStore.Claim;
import dev.waybill.internal.store.JobLeaseStore.Fence;
import dev.waybill.job.AttemptOutcome;
import dev.waybill.job.Enqueued;
import dev.waybill.job.JobDefinition;
import dev.waybill.job.JobHandler;
import dev.waybill.job.JobInfo;
import dev.waybill.job.JobRequest;
import dev.waybill.job.JobResult;
import dev.waybill.job.JobStatus;
import dev.waybill.job.RetryPolicy;
import dev.waybill.job.Scope;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.FaultyDataSource;
import dev.waybill.testkit.NotOn;
import dev.waybill.testkit.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@EveryDatabase
@Timeout(120)
class JobClaimTest {
  private static final Duration LEASE = Duration.ofMinutes(1);

  private final JobBench bench;

  JobClaimTest(TestDatabase database) {
    this.bench =
        JobBench.on(
            Migrated.on(database),
            JobDefinition.of("a"),
            JobDefinition.of("b"),
            JobDefinition.of("two").withMaxRunning(2),
            JobDefinition.of("rated").withRate(3, Duration.ofHours(1)));
  }

  private UUID enqueue(String type, int priority) {
    return bench.jobs().enqueue(JobRequest.of(type).priority(priority).build()).id();
  }

  private List<UUID> claim(int slots, String... types) {
    return bench.claim("w", slots, LEASE, types).stream().map(Claim::id).toList();
  }

  @Test
  void itTakesExactlyTheFreeSlotsInTheOrderOfPriorityOverAllTypes() {
    UUID low = enqueue("a", 1);
    UUID high = enqueue("b", 9);
    UUID middle = enqueue("a", 5);
    UUID alsoMiddle = enqueue("b", 5);
    assertThat(claim(3, "a", "b")).containsExactly(high, middle, alsoMiddle);
    assertThat(claim(3, "a", "b")).containsExactly(low);
    assertThat(claim(3, "a", "b")).isEmpty();
    JobInfo leased = bench.get(high);
    assertThat(leased.status()).isEqualTo(JobStatus.LEASED);
    assertThat(leased.attempt()).isEqualTo(1);
    assertThat(leased.worker()).isEqualTo("w");
    assertThat(leased.startedAt()).isNotNull();
  }

  @Test
  void waitingIsWorthPriority() throws Exception {
    UUID old = enqueue("a", 0);
    bench.age(Duration.ofMinutes(11));
    UUID urgent = enqueue("a", 10);
    UUID moreUrgent = enqueue("a", 12);
    assertThat(claim(3, "a")).containsExactly(moreUrgent, old, urgent);
  }

  @Test
  void onlyWhatIsDueOfAskedTypesIsTaken() throws Exception {
    bench.jobs().enqueue(JobRequest.of("a").delay(Duration.ofHours(1)).priority(1000).build());
    enqueue("b", 5);
    assertThat(claim(5, "a")).isEmpty();
    assertThat(claim(5)).isEmpty();
    bench.age(Duration.ofHours(1));
    assertThat(claim(5, "a")).isEmpty();
    assertThat(bench.database().<Integer>transact(tx -> JobLeaseStore.in(tx).stage(10)))
        .isEqualTo(1);
    assertThat(claim(5, "a")).hasSize(1);
  }

  @Test
  void pausedAndDisabledTypesWait() {
    enqueue("a", 1);
    bench.jobs().setPaused("a", true);
    assertThat(bench.jobs().pausedTypes()).containsExactly("a");
    assertThat(claim(1, "a")).isEmpty();
    bench.jobs().syncDefinitions(List.of(JobDefinition.of("a").withVersion(2)));
    assertThat(claim(1, "a")).isEmpty();
    bench.jobs().setPaused("a", false);
    bench.jobs().setEnabled("a", false);
    assertThat(claim(1, "a")).isEmpty();
    bench.jobs().setEnabled("a", true);
    assertThat(claim(1, "a")).hasSize(1);
  }

  @Test
  void aTypesLimitHoldsForAllProcesses() {
    for (int i = 0; i < 5; i++) {
      enqueue("two", i);
    }
    enqueue("a", 0);
    assertThat(claim(10, "two", "a")).hasSize(3);
    assertThat(bench.claim("other", 10, LEASE, "two")).isEmpty();
  }

  @Test
  void aRateIsNotExceeded() throws Exception {
    for (int i = 0; i < 5; i++) {
      enqueue("rated", i);
    }
    assertThat(claim(2, "rated")).hasSize(2);
    assertThat(claim(10, "rated")).hasSize(1);
    assertThat(claim(10, "rated")).isEmpty();
    bench.home().execute("update waybill_job_definition set rate_at = rate_at - 1300000000");
    assertThat(claim(10, "rated")).hasSize(1);
  }

  @Test
  void aClaimKnowsWhenARateAllowsTheNext() {
    for (int i = 0; i < 4; i++) {
      enqueue("rated", i);
    }
    assertThat(untilToken("a")).isEmpty();
    assertThat(claim(2, "rated")).hasSize(2);
    assertThat(claim(10, "rated")).hasSize(1);
    // Three an hour: the next is due after twenty minutes, less what has passed.
    assertThat(untilToken("rated").orElseThrow())
        .isBetween(Duration.ofMinutes(15), Duration.ofMinutes(20));
  }

  private Optional<Duration> untilToken(String type) {
    return bench
        .database()
        .transact(
            tx ->
                new ClaimPlan(JobLeaseStore.in(tx), new TenantRounds(), Map.of(), 1)
                    .claim(Set.of(type))
                    .untilToken());
  }

  @Test
  void aResourceIsUsedByOneJobAtATime() {
    JobRequest request = JobRequest.of("a").resourceKey("printer").build();
    Enqueued first = bench.jobs().enqueue(request);
    bench.jobs().enqueue(request);
    bench
        .jobs()
        .enqueue(JobRequest.of("b").scope(Scope.tenant("t")).resourceKey("printer").build());
    UUID free = bench.jobs().enqueue(JobRequest.of("a").resourceKey("other").build()).id();
    assertThat(claim(10, "a", "b")).containsExactlyInAnyOrder(first.id(), free);
    assertThat(claim(10, "a", "b")).isEmpty();
    bench.jobs().cancel(Scope.admin(), first.id(), "stop");
    // Its handler may still be printing.
    assertThat(claim(10, "a", "b")).isEmpty();
  }

  @Test
  void aResourceIsUsedByAsManyJobsAsItHasPermits() {
    JobRequest request = JobRequest.of("a").resourceKey("lines", 3).build();
    for (int i = 0; i < 6; i++) {
      bench.jobs().enqueue(request);
    }
    UUID first = claim(1, "a").get(0);
    assertThat(bench.claim("other", 10, LEASE, "a")).hasSize(2);
    assertThat(claim(10, "a")).isEmpty();
    settle(first);
    assertThat(claim(10, "a")).hasSize(1);
    assertThat(claim(10, "a")).isEmpty();
  }

  private void settle(UUID id) {
    bench
        .database()
        .transact(
            tx -> {
              JobLeaseStore store = JobLeaseStore.in(tx);
              store.settle(
                  store.lockForSettling(List.of(new Fence(id, 1, 1, "w"))).stream()
                      .map(
                          lease ->
                              new Verdict(() -> 0)
                                  .on(
                                      lease,
                                      Ending.of(AttemptOutcome.SUCCEEDED, null, null),
                                      RetryPolicy.standard()))
                      .toList());
              return true;
            });
  }

  @Test
  void permitsAreNotGivenTwice() throws Exception {
    JobRequest request = JobRequest.of("a").resourceKey("lines", 5).build();
    for (int i = 0; i < 40; i++) {
      bench.jobs().enqueue(request);
    }
    CountDownLatch full = new CountDownLatch(5);
    CountDownLatch go = new CountDownLatch(1);
    AtomicInteger atOnce = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    JobHandler handler =
        context -> {
          most.accumulateAndGet(atOnce.incrementAndGet(), Math::max);
          full.countDown();
          go.await();
          atOnce.decrementAndGet();
          return JobResult.success();
        };
    try (Running one = bench.start(JobBench.quick("w1"), Map.of("a", handler));
        Running two = bench.start(JobBench.quick("w2"), Map.of("a", handler))) {
      assertThat(full.await(10, TimeUnit.SECONDS)).isTrue();
      go.countDown();
      one.jobs().wake();
      two.jobs().wake();
      bench.awaitNone("waybill_job where status <> 3");
    }
    assertThat(most.get()).isEqualTo(5);
  }

  @Test
  void aResourceIsFreeWhenItsJobIsSettled() throws Exception {
    JobRequest request = JobRequest.of("a").resourceKey("printer").build();
    UUID first = bench.jobs().enqueue(request).id();
    UUID second = bench.jobs().enqueue(request).id();
    try (var workers = bench.start("a", context -> JobResult.success("\"" + context.id() + "\""))) {
      workers.jobs().wake();
      bench.await(first, JobStatus.SUCCEEDED);
      bench.await(second, JobStatus.SUCCEEDED);
    }
  }

  @Test
  @NotOn(value = DatabaseProduct.SQLITE, why = "one writer at a time")
  void claimersDoNotWaitForEachOther() throws Exception {
    enqueue("a", 2);
    UUID second = enqueue("a", 1);
    List<UUID> other =
        bench
            .database()
            .transact(
                tx -> {
                  ClaimPlan plan =
                      new ClaimPlan(JobLeaseStore.in(tx), new TenantRounds(), Map.of(), 1);
                  assertThat(plan.claim(Set.of("a")).claims()).hasSize(1);
                  return claim(5, "a");
                });
    assertThat(other).containsExactly(second);
  }

  @Test
  void noJobIsClaimedTwice() throws Exception {
    for (int i = 0; i < 60; i++) {
      enqueue(i % 2 == 0 ? "a" : "b", i % 3);
    }
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      List<Callable<List<UUID>>> calls = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        String worker = "w" + i;
        calls.add(
            () -> {
              List<UUID> mine = new ArrayList<>();
              for (int empty = 0; empty < 3; ) {
                List<Claim> claims = bench.claim(worker, 4, LEASE, "a", "b");
                claims.forEach(claim -> mine.add(claim.id()));
                empty = claims.isEmpty() ? empty + 1 : 0;
              }
              return mine;
            });
      }
      List<UUID> all = new ArrayList<>();
      for (Future<List<UUID>> call : threads.invokeAll(calls)) {
        all.addAll(call.get());
      }
      assertThat(all).hasSize(60).doesNotHaveDuplicates();
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void theNumberOfStatementsDoesNotDependOnTheNumberOfJobs() {
    FaultyDataSource watched = new FaultyDataSource(bench.home().dataSource());
    JobBench other = JobBench.over(bench.home(), watched);
    enqueue("a", 1);
    long before = watched.counts().statements();
    assertThat(other.claim("w", 1, LEASE, "a")).hasSize(1);
    long forOne = watched.counts().statements() - before;
    for (int i = 0; i < 50; i++) {
      enqueue("a", i);
    }
    before = watched.counts().statements();
    assertThat(other.claim("w", 50, LEASE, "a")).hasSize(50);
    assertThat(watched.counts().statements() - before).isEqualTo(forOne);
  }
}
