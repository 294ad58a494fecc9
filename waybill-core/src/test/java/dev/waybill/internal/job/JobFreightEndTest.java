package dev.waybill.internal.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.DatabaseException;
import dev.waybill.Migrated;
import dev.waybill.internal.store.JobExpress;
import dev.waybill.internal.store.JobExpress.Success;
import dev.waybill.internal.store.JobFreightStore;
import dev.waybill.internal.store.JobLeaseStore;
import dev.waybill.internal.store.JobLeaseStore.Claim;
import dev.waybill.internal.store.JobLeaseStore.Fence;
import dev.waybill.internal.store.JobLeaseStore.Lease;
import dev.waybill.job.AttemptOutcome;
import dev.waybill.job.JobAttempt;
import dev.waybill.job.JobDefinition;
import dev.waybill.job.JobInfo;
import dev.waybill.job.JobRequest;
import dev.waybill.job.JobStatus;
import dev.waybill.job.Replay;
import dev.waybill.job.Requeue;
import dev.waybill.job.Scope;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.NotOn;
import dev.waybill.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Rows of several jobs: what becomes of them, and who takes them apart. */
@EveryDatabase
@NotOn(
    value = {DatabaseProduct.MYSQL, DatabaseProduct.MARIADB, DatabaseProduct.SQLITE},
    why = "each job is a row there")
@Timeout(120)
class JobFreightEndTest {
  private static final Duration LEASE = Duration.ofMinutes(1);
  private static final JobRequest A = JobRequest.of("a").build();

  private final JobBench bench;
  private final JobExpress express;

  JobFreightEndTest(TestDatabase database) {
    this.bench =
        JobBench.on(
            Migrated.on(database),
            JobDefinition.of("a"),
            JobDefinition.of("b"),
            JobDefinition.of("two").withMaxRunning(2));
    this.express = JobExpress.of(bench.database()).orElseThrow();
  }

  private long freights() throws SQLException {
    return bench.count("waybill_job_freight");
  }

  private long rows() throws SQLException {
    return bench.count("(select id from waybill_job) j");
  }

  private List<Claim> claim(int slots, String... types) {
    return express.claimFront(Set.of(types), slots, "w", LEASE).orElseThrow().claims();
  }

  private static List<Fence> fences(List<Claim> claims) {
    return claims.stream().map(claim -> JobBench.fence(claim, "w")).toList();
  }

  private List<UUID> succeed(List<Fence> fences) {
    return express.succeedAboard(fences).stream().map(lease -> lease.fence().id()).toList();
  }

  private List<UUID> succeedRows(List<Fence> fences) {
    return express.succeed(fences.stream().map(fence -> new Success(fence, null)).toList()).stream()
        .map(lease -> lease.fence().id())
        .toList();
  }

  private void unload(Collection<UUID> ids) {
    bench
        .database()
        .transact(
            tx -> {
              JobFreightStore.in(tx).unload(ids);
              return true;
            });
  }

  @Test
  void successIsABitUntilAllHaveOne() throws SQLException {
    bench.load(A, 16);
    List<Fence> all = fences(claim(16, "a"));
    List<Lease> settled = express.succeedAboard(all.subList(3, 7));
    assertThat(settled).hasSize(4).allMatch(Lease::isLive);
    assertThat(bench.get(all.get(2).id()).status()).isEqualTo(JobStatus.LEASED);
    JobInfo job = bench.get(all.get(3).id());
    assertThat(job.status()).isEqualTo(JobStatus.SUCCEEDED);
    assertThat(job.stage()).isEqualTo("completed");
    assertThat(job.finishedAt()).isEqualTo(settled.get(0).now());
    assertThat(job.worker()).isNull();
    assertThat(bench.jobs().attempts(Scope.admin(), job.id()))
        .singleElement()
        .satisfies(
            attempt -> {
              assertThat(attempt.worker()).isEqualTo("w");
              assertThat(attempt.outcome()).isEqualTo(AttemptOutcome.SUCCEEDED);
              assertThat(attempt.finishedAt()).isEqualTo(job.finishedAt());
            });
    assertThat(bench.jobs().attempts(Scope.admin(), all.get(2).id())).isEmpty();
    assertThat(succeed(all.subList(6, 9))).as("one of them a second time").isEmpty();
    assertThat(succeed(all.subList(0, 3))).hasSize(3);
    assertThat(succeed(all.subList(7, 16))).hasSize(9);
    assertThat(bench.count("waybill_job_freight where status = 3")).isEqualTo(1);
    assertThat(bench.count("waybill_job where status = 3")).isEqualTo(16);
    assertThat(rows()).isZero();
  }

  @Test
  void whoDoesNotOwnTheJobsChangesNothing() throws SQLException {
    bench.load(A, 16);
    List<Fence> all = fences(claim(16, "a"));
    assertThat(succeed(all.stream().map(each -> new Fence(each.id(), 1, 1, "another")).toList()))
        .isEmpty();
    bench.age(LEASE.plusSeconds(1));
    assertThat(succeed(all)).as("the lease has ended").isEmpty();
    unload(List.of(all.get(5).id()));
    assertThat(succeed(all)).as("it was unloaded").isEmpty();
    assertThat(succeedRows(all)).as("and the leases of its rows have ended").isEmpty();
    assertThat(bench.count("waybill_job where status = 2")).isEqualTo(16);
  }

  /** A row that is only locked, and not changed, is not looked at again before it is written. */
  @Test
  void aLeaseThatEndsWhileItsFreightIsLockedIsLost() throws Exception {
    bench.load(A, 8);
    List<Fence> all =
        fences(
            express
                .claimFront(Set.of("a"), 16, "w", Duration.ofMillis(300))
                .orElseThrow()
                .claims());
    ExecutorService other = Executors.newSingleThreadExecutor();
    try (Connection holder = bench.home().connect();
        Statement statement = holder.createStatement()) {
      holder.setAutoCommit(false);
      statement.execute("select 1 from waybill_job_freight for update");
      CompletableFuture<List<UUID>> settled =
          CompletableFuture.supplyAsync(() -> succeed(all), other);
      awaitWaiter();
      bench.awaitNone(
          "waybill_job_freight where lease_until > extract(epoch from clock_timestamp()) * 1000000");
      holder.rollback();
      assertThat(settled)
          .failsWithin(JobBench.SOON)
          .withThrowableThat()
          .withCauseInstanceOf(DatabaseException.class);
    } finally {
      other.shutdown();
    }
    assertThat(bench.count("waybill_job where status = 2")).isEqualTo(8);
  }

  @Test
  void whoSettlesWhileItIsUnloadedFindsTheRows() throws Exception {
    bench.load(A, 16);
    List<Fence> all = fences(claim(16, "a"));
    ExecutorService other = Executors.newSingleThreadExecutor();
    try {
      CompletableFuture<List<UUID>> settled = new CompletableFuture<>();
      bench
          .database()
          .transact(
              tx -> {
                JobFreightStore.in(tx).unload(List.of(all.get(0).id()));
                settled.completeAsync(() -> succeed(all.subList(0, 8)), other);
                awaitWaiter();
                return true;
              });
      assertThat(settled.get()).isEmpty();
    } finally {
      other.shutdown();
    }
    assertThat(succeedRows(all.subList(0, 8))).hasSize(8);
    assertThat(bench.count("waybill_job where status = 2")).isEqualTo(8);
    assertThat(bench.count("waybill_job where status = 3")).isEqualTo(8);
  }

  @Test
  void whoUnloadsWhileItIsSettledWritesWhatBecameOfIt() throws Exception {
    bench.load(A, 16);
    List<Fence> all = fences(claim(16, "a"));
    ExecutorService other = Executors.newSingleThreadExecutor();
    try (Connection settler = bench.home().connect();
        Statement statement = settler.createStatement()) {
      settler.setAutoCommit(false);
      statement.execute("update waybill_job_freight set done = 7, finished_at = leased_at + 5");
      CompletableFuture<Void> unloaded =
          CompletableFuture.runAsync(() -> unload(List.of(all.get(9).id())), other);
      awaitWaiter();
      settler.commit();
      unloaded.get();
    } finally {
      other.shutdown();
    }
    assertThat(freights()).isZero();
    assertThat(
            bench.count(
                "(select id from waybill_job where status = 3 and finished_at = leased_at + 5) j"))
        .isEqualTo(3);
    assertThat(succeedRows(all)).hasSize(13);
  }

  @Test
  void twoWhoUnloadAtOnceDoItOnce() throws Exception {
    List<UUID> ids = bench.load(A, 16);
    ExecutorService other = Executors.newSingleThreadExecutor();
    try {
      CompletableFuture<Void> second = new CompletableFuture<>();
      bench
          .database()
          .transact(
              tx -> {
                JobFreightStore.in(tx).unload(ids);
                other.execute(
                    () -> {
                      unload(ids);
                      second.complete(null);
                    });
                awaitWaiter();
                return true;
              });
      second.get();
    } finally {
      other.shutdown();
    }
    assertThat(rows()).isEqualTo(16);
  }

  /** Until somebody in this database waits for a lock. */
  private void awaitWaiter() {
    try (Connection connection = bench.home().connect();
        Statement statement = connection.createStatement()) {
      boolean waits = false;
      while (!waits) {
        try (ResultSet result =
            statement.executeQuery(
                "select count(*) from pg_stat_activity"
                    + " where datname = current_database() and wait_event_type = 'Lock'")) {
          waits = result.next() && result.getInt(1) > 0;
        }
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void cancelingOneLeavesTheOthers() throws SQLException {
    List<UUID> ids = bench.load(A, 32);
    List<Fence> running = fences(claim(16, "a"));
    assertThat(bench.jobs().cancel(Scope.admin(), ids.get(20), "not wanted").status())
        .isEqualTo(JobStatus.CANCELED);
    assertThat(bench.jobs().cancel(Scope.admin(), ids.get(3), "not wanted").status())
        .isEqualTo(JobStatus.CANCELED);
    assertThat(bench.jobs().attempts(Scope.admin(), ids.get(3)))
        .extracting(JobAttempt::outcome)
        .containsExactly(AttemptOutcome.CANCELED);
    assertThat(succeed(running)).isEmpty();
    assertThat(succeedRows(running)).hasSize(15).doesNotContain(ids.get(3));
    assertThat(claim(16, "a")).hasSize(15);
  }

  @Test
  void whatHasSucceededCanBeRunAgain() throws SQLException {
    List<UUID> ids = bench.load(JobRequest.of("a").payload("7").build(), 16);
    assertThat(succeed(fences(claim(16, "a")))).hasSize(16);
    UUID waiting = bench.load(JobRequest.of("a").payload("7").build(), 16).get(4);
    JobInfo canceled = bench.jobs().cancel(Scope.admin(), waiting, "by mistake");
    assertThat(bench.jobs().requeue(Requeue.of(canceled, "once more")))
        .isInstanceOf(Requeue.Outcome.Requeued.class);
    assertThat(bench.jobs().replay(new Replay(Scope.admin(), ids.get(5), 1, "key", "again")))
        .isInstanceOf(Replay.Outcome.Replayed.class);
    assertThat(bench.jobs().replay(new Replay(Scope.admin(), ids.get(5), 1, "key", "again")))
        .isInstanceOf(Replay.Outcome.Replayed.class);
    assertThat(claim(32, "a")).hasSize(17).allMatch(claim -> claim.payload().equals("7"));
    assertThat(bench.get(waiting).run()).isEqualTo(2);
    assertThat(bench.count("waybill_job where status = 3")).isEqualTo(16);
  }

  @Test
  void whatEndedLongAgoIsPurged() throws SQLException {
    bench.load(A, 100);
    List<Fence> all = fences(claim(96, "a"));
    assertThat(succeed(all.subList(0, 88))).hasSize(88);
    bench.age(Duration.ofDays(2));
    assertThat(bench.jobs().purge(JobStatus.SUCCEEDED, Duration.ofDays(3), 500)).isZero();
    assertThat(bench.jobs().purge(JobStatus.CANCELED, Duration.ofDays(1), 500)).isZero();
    assertThat(bench.jobs().purge(JobStatus.SUCCEEDED, Duration.ofDays(1), 40)).isEqualTo(32);
    assertThat(bench.jobs().purge(JobStatus.SUCCEEDED, Duration.ofDays(1), 500)).isEqualTo(48);
    assertThat(bench.count("waybill_job")).as("one has not ended, one waits").isEqualTo(20);
  }

  @Test
  void aHeartbeatMakesRowsOfThoseThatStillRun() throws SQLException {
    bench.load(A, 32);
    List<Fence> all = fences(claim(32, "a"));
    assertThat(renewed(all.subList(0, 1))).containsExactly(all.get(0).id());
    assertThat(freights()).isEqualTo(1);
    assertThat(rows()).isEqualTo(16);
    assertThat(live(all)).hasSize(32);
    succeed(all.subList(16, 20));
    assertThat(live(all)).as("those that ended are nobody's").hasSize(28);
    assertThat(freights()).as("just claimed").isEqualTo(1);
    bench.home().execute("update waybill_job_freight set leased_at = leased_at - 2000000");
    assertThat(live(all)).as("some ended long ago, others run").hasSize(28);
    assertThat(freights()).isZero();
  }

  private List<UUID> renewed(List<Fence> fences) {
    return bench.database().transact(tx -> JobLeaseStore.in(tx).renew(fences, LEASE));
  }

  private List<UUID> live(List<Fence> fences) {
    return bench.database().transact(tx -> JobLeaseStore.in(tx).live(fences));
  }
}
