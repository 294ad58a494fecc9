package dev.waybill.internal.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.DatabaseException;
import dev.waybill.Migrated;
import dev.waybill.internal.sql.Statements;
import dev.waybill.internal.store.JobExpress;
import dev.waybill.internal.store.JobExpress.Success;
import dev.waybill.internal.store.JobLeaseStore.Claim;
import dev.waybill.internal.store.JobLeaseStore.Fence;
import dev.waybill.internal.store.JobLeaseStore.Lease;
import dev.waybill.job.AttemptOutcome;
import dev.waybill.job.JobAttempt;
import dev.waybill.job.JobDefinition;
import dev.waybill.job.JobInfo;
import dev.waybill.job.JobOptions;
import dev.waybill.job.JobRequest;
import dev.waybill.job.JobResult;
import dev.waybill.job.JobStatus;
import dev.waybill.job.Scope;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.FaultyDataSource;
import dev.waybill.testkit.NotOn;
import dev.waybill.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The short way of a job, and when it is left. */
@EveryDatabase
@NotOn(
    value = {DatabaseProduct.MYSQL, DatabaseProduct.MARIADB, DatabaseProduct.SQLITE},
    why = "one statement cannot do that much there")
@Timeout(120)
class JobExpressTest {
  private static final Duration LEASE = Duration.ofMinutes(1);

  private final JobBench bench;
  private final JobExpress express;

  JobExpressTest(TestDatabase database) {
    this.bench =
        JobBench.on(
            Migrated.on(database),
            JobDefinition.of("a"),
            JobDefinition.of("b"),
            JobDefinition.of("two").withMaxRunning(2));
    this.express = JobExpress.of(bench.database()).orElseThrow();
  }

  private UUID enqueue(String type, int priority) {
    return bench.jobs().enqueue(JobRequest.of(type).priority(priority).build()).id();
  }

  private Optional<List<UUID>> claim(int slots, String... types) {
    return express
        .claimFront(Set.of(types), slots, "w", LEASE)
        .map(front -> front.claims().stream().map(Claim::id).toList());
  }

  @Test
  void itLeasesTheFrontOfTheOnlyLineInItsOrder() {
    UUID low = enqueue("a", 1);
    UUID high = enqueue("a", 9);
    UUID middle = enqueue("a", 5);
    assertThat(claim(2, "a", "b")).hasValue(List.of(high, middle));
    assertThat(claim(2, "a", "b")).hasValue(List.of(low));
    assertThat(claim(2, "a", "b")).hasValue(List.of());
    JobInfo leased = bench.get(high);
    assertThat(leased.status()).isEqualTo(JobStatus.LEASED);
    assertThat(leased.attempt()).isEqualTo(1);
    assertThat(leased.worker()).isEqualTo("w");
    assertThat(leased.startedAt()).isNotNull();
  }

  @Test
  void theLinesOfSeveralTypesAreMergedByTurn() {
    UUID third = enqueue("a", 5);
    UUID first = enqueue("b", 9);
    UUID second = enqueue("a", 7);
    UUID fifth = enqueue("b", 1);
    UUID fourth = enqueue("a", 3);
    assertThat(claim(1, "a", "b")).hasValue(List.of(first));
    assertThat(claim(3, "a", "b")).hasValue(List.of(second, third, fourth));
    assertThat(claim(3, "a", "b")).hasValue(List.of(fifth));
    assertThat(claim(3, "a", "b")).hasValue(List.of());
  }

  @Test
  void jobsWithTheSameTurnAreTakenOnce() throws SQLException {
    for (int i = 0; i < 6; i++) {
      enqueue(i % 2 == 0 ? "a" : "b", 0);
    }
    bench.home().execute("update waybill_job set turn = 7");
    List<UUID> all = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      assertThat(claim(2, "a", "b").orElseThrow()).hasSize(2).allMatch(all::add);
    }
    assertThat(all).doesNotHaveDuplicates();
  }

  @Test
  void whoFindsTheFrontTakenKnowsThatThereMayBeMore() throws SQLException {
    UUID first = enqueue("a", 9);
    UUID second = enqueue("b", 8);
    UUID third = enqueue("a", 7);
    try (Connection other = bench.home().connect();
        Statement statement = other.createStatement()) {
      other.setAutoCommit(false);
      statement.execute(
          "select 1 from waybill_job where id in ('%s', '%s') for update".formatted(first, second));
      assertThat(express.claimFront(Set.of("a", "b"), 2, "w", LEASE))
          .hasValueSatisfying(
              front -> {
                assertThat(front.claims()).isEmpty();
                assertThat(front.drained()).isFalse();
              });
      assertThat(express.claimFront(Set.of("a"), 2, "w", LEASE).orElseThrow())
          .satisfies(
              front -> {
                assertThat(front.claims()).extracting(Claim::id).containsExactly(third);
                assertThat(front.drained()).as("what others hold is theirs").isTrue();
              });
      other.rollback();
    }
    assertThat(express.claimFront(Set.of("a", "b"), 3, "w", LEASE).orElseThrow().drained())
        .isTrue();
  }

  @Test
  void whatHasToBeWeighedIsLeftToTheOrdinaryWay() {
    enqueue("a", 0);
    bench.jobs().enqueue(JobRequest.of("a").scope(Scope.tenant("t")).build());
    assertThat(claim(9, "a", "b")).as("two tenants").isEmpty();
    enqueue("two", 0);
    assertThat(claim(9, "two")).as("a limit").isEmpty();
    bench.jobs().enqueue(JobRequest.of("b").resourceKey("printer").build());
    assertThat(claim(9, "b")).as("a resource").isEmpty();
    assertThat(bench.claim("w", 9, LEASE, "a", "b", "two")).as("nothing was taken").hasSize(4);
  }

  @Test
  void pausedAndDisabledTypesAreNotClaimed() {
    enqueue("a", 0);
    bench.jobs().setPaused("a", true);
    assertThat(claim(9, "a")).hasValue(List.of());
    bench.jobs().setPaused("a", false);
    bench.jobs().setEnabled("a", false);
    assertThat(claim(9, "a")).hasValue(List.of());
    bench.jobs().setEnabled("a", true);
    assertThat(claim(9, "a").orElseThrow()).hasSize(1);
  }

  private Fence claimed() {
    enqueue("a", 0);
    return JobBench.fence(
        express.claimFront(Set.of("a"), 1, "w", LEASE).orElseThrow().claims().get(0), "w");
  }

  private List<UUID> succeed(Fence fence) {
    return express.succeed(List.of(new Success(fence, "{\"n\":1}"))).stream()
        .map(lease -> lease.fence().id())
        .toList();
  }

  @Test
  void aSuccessEndsTheJobAndItsAttempt() {
    Fence fence = claimed();
    List<Lease> settled = express.succeed(List.of(new Success(fence, "{\"n\":1}")));
    assertThat(settled).singleElement().satisfies(lease -> assertThat(lease.isLive()).isTrue());
    JobInfo job = bench.get(fence.id());
    assertThat(job.status()).isEqualTo(JobStatus.SUCCEEDED);
    assertThat(job.finishedAt()).isEqualTo(settled.get(0).now());
    assertThat(job.worker()).isNull();
    assertThat(bench.jobs().body(Scope.admin(), fence.id()).orElseThrow().output())
        .isEqualTo("{\"n\":1}");
    assertThat(bench.jobs().attempts(Scope.admin(), fence.id()))
        .extracting(JobAttempt::outcome)
        .containsExactly(AttemptOutcome.SUCCEEDED);
    assertThat(succeed(fence)).as("a second time").isEmpty();
  }

  @Test
  void whoDoesNotOwnTheJobChangesNothing() throws SQLException {
    Fence fence = claimed();
    assertThat(succeed(new Fence(fence.id(), 1, 2, "w"))).isEmpty();
    assertThat(succeed(new Fence(fence.id(), 2, 1, "w"))).isEmpty();
    assertThat(succeed(new Fence(fence.id(), 1, 1, "W"))).isEmpty();
    bench.age(LEASE.plusSeconds(1));
    assertThat(succeed(fence)).as("the lease has ended").isEmpty();
    assertThat(bench.get(fence.id()).status()).isEqualTo(JobStatus.LEASED);
    assertThat(bench.count("waybill_job_attempt")).isZero();
  }

  @Test
  void aLeaseThatEndsWhileItsRowIsWaitedForIsLost() throws Exception {
    Fence fence = claimed();
    ExecutorService other = Executors.newSingleThreadExecutor();
    try (Connection holder = bench.home().connect();
        Statement statement = holder.createStatement()) {
      holder.setAutoCommit(false);
      statement.execute(
          "update waybill_job set lease_until = leased_at where id = '%s'".formatted(fence.id()));
      CompletableFuture<List<UUID>> settled =
          CompletableFuture.supplyAsync(() -> succeed(fence), other);
      awaitWaiter();
      holder.commit();
      assertThat(settled.get()).isEmpty();
    } finally {
      other.shutdown();
    }
    assertThat(bench.get(fence.id()).status()).isEqualTo(JobStatus.LEASED);
  }

  /** A row that is only locked, and not changed, is not looked at again before it is written. */
  @Test
  void aLeaseThatEndsWhileItsRowIsOnlyLockedIsLost() throws Exception {
    enqueue("a", 0);
    Duration brief = Duration.ofMillis(300);
    Fence fence =
        JobBench.fence(
            express.claimFront(Set.of("a"), 1, "w", brief).orElseThrow().claims().get(0), "w");
    ExecutorService other = Executors.newSingleThreadExecutor();
    try (Connection holder = bench.home().connect();
        Statement statement = holder.createStatement()) {
      holder.setAutoCommit(false);
      statement.execute(
          "select 1 from waybill_job where id = '%s' for update".formatted(fence.id()));
      CompletableFuture<List<UUID>> settled =
          CompletableFuture.supplyAsync(() -> succeed(fence), other);
      awaitWaiter();
      bench.awaitNone(
          "waybill_job where lease_until > extract(epoch from clock_timestamp()) * 1000000");
      holder.rollback();
      assertThat(settled)
          .failsWithin(JobBench.SOON)
          .withThrowableThat()
          .withCauseInstanceOf(DatabaseException.class);
    } finally {
      other.shutdown();
    }
    assertThat(bench.get(fence.id()).status()).isEqualTo(JobStatus.LEASED);
  }

  /** Until somebody in this database waits for a lock. */
  private void awaitWaiter() throws SQLException {
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
    }
  }

  @Test
  void whatIsDueIsStagedAndTheNextIsKnown() throws SQLException {
    bench.jobs().enqueue(JobRequest.of("a").delay(Duration.ofMinutes(1)).build());
    bench.jobs().enqueue(JobRequest.of("a").delay(Duration.ofHours(1)).build());
    assertThat(express.stage(10).count()).isZero();
    bench.age(Duration.ofMinutes(2));
    JobExpress.Staged staged = express.stage(10);
    assertThat(staged.count()).isEqualTo(1);
    assertThat(staged.untilNext().orElseThrow())
        .isBetween(Duration.ofMinutes(50), Duration.ofMinutes(58));
    assertThat(claim(9, "a").orElseThrow()).hasSize(1);
  }

  @Test
  void aJobThatComesAloneCostsOneClaimAndOneSettlement() throws Exception {
    FaultyDataSource counted = new FaultyDataSource(bench.home().dataSource());
    JobOptions options =
        JobBench.quick("w1").withPoll(Duration.ofMinutes(10), Duration.ofMinutes(10));
    try (JobBench.Running running =
        JobBench.over(bench.home(), counted)
            .start(options, Map.of("a", job -> JobResult.success()))) {
      for (int i = 0; i < 5; i++) {
        UUID id = enqueue("a", 0);
        running.jobs().wake();
        bench.await(id, JobStatus.SUCCEEDED);
      }
    }
    assertThat(executed(counted, "front as materialized"))
        .as("one more is the look at the start")
        .isLessThanOrEqualTo(6);
    assertThat(executed(counted, "as v (id, run, attempt, worker, output)")).isEqualTo(5);
  }

  private static long executed(FaultyDataSource counted, String words) {
    return counted.trace().stream()
        .filter(operation -> String.valueOf(operation).contains(words))
        .count();
  }

  @Test
  void plansThatAreMadeForASmallTableUseItsIndexes() throws SQLException {
    Map<String, String> blocks =
        Statements.blocks(Statements.resource("/dev/waybill/sql/postgres/job_own.sql"));
    assertThat(blocks)
        .containsOnlyKeys(
            "job_insert_alike",
            "job_claim_front",
            "job_depart",
            "job_succeed",
            "job_stage_front",
            "job_freight_insert",
            "job_freight_succeed",
            "job_freight_watch",
            "job_freight_owned",
            "job_freight_unload",
            "job_freight_unload_free",
            "job_freight_unload_slow",
            "job_freight_unload_expired",
            "job_freight_unload_front",
            "job_freight_purge");
    // Where autovacuum has found it empty, reading all of it costs nothing, by any plan.
    bench.home().execute("alter table waybill_workflow_step set (autovacuum_enabled = false)");
    bench.home().execute("truncate waybill_workflow_step");
    for (int jobs : List.of(30, 60, 120, 600)) {
      for (long i = bench.count("(select id from waybill_job) j"); i < jobs; i++) {
        enqueue("a", 0);
      }
      for (long i = bench.count("waybill_job_freight"); i < jobs; i++) {
        bench.load(JobRequest.of("a").build(), 9);
      }
      bench.home().execute("analyze waybill_job");
      bench.home().execute("analyze waybill_job_freight");
      for (Map.Entry<String, String> block : blocks.entrySet()) {
        assertThat(plan(block.getValue()))
            .as("%s, %s jobs", block.getKey(), jobs)
            .noneMatch(
                line ->
                    line.contains("Seq Scan on waybill_job ")
                        || line.contains("Seq Scan on waybill_job_freight ")
                        || line.contains("Seq Scan on waybill_workflow_step "));
      }
    }
    bench.home().execute("alter table waybill_workflow_step reset (autovacuum_enabled)");
  }

  private List<String> plan(String text) throws SQLException {
    String literal =
        text.replaceAll("(?m)^--.*$", "")
            .replace("cast(:types as text[])", "cast('{a}' as text[])")
            .replace(":types", "'[\"a\"]'")
            .replaceAll(
                ":(ids|runs|attempts|workers|outputs|payloads|jobs|behinds|bytes|sizes|dones)\\b",
                "'{}'")
            .replace(":payload", "''")
            .replaceAll(":id\\b", "'00000000-0000-0000-0000-000000000000'")
            .replace(":limit", "10")
            .replace(":worker", "'w'")
            .replace(":ttl", "1000")
            .replaceAll(":(type|tenant|stage)\\b", "'a'")
            .replaceAll(":(priority|ageing|max_attempts|timeout|age)\\b", "1");
    List<String> lines = new ArrayList<>();
    try (Connection connection = bench.home().connect();
        Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery("explain " + literal)) {
      while (result.next()) {
        lines.add(result.getString(1));
      }
    }
    return lines;
  }
}
