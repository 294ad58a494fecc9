package dev.waybill.internal.job;

import dev.waybill.internal.loop.Bell;
import dev.waybill.internal.loop.Crew;
import dev.waybill.internal.loop.Time;
import dev.waybill.internal.notice.Notices;
import dev.waybill.internal.sql.Database;
import dev.waybill.internal.sql.Endings;
import dev.waybill.internal.sql.Naming;
import dev.waybill.internal.sql.Retry;
import dev.waybill.internal.store.JobLeaseStore;
import dev.waybill.internal.store.JobLeaseStore.Claim;
import dev.waybill.internal.store.JobLeaseStore.Fence;
import dev.waybill.job.Enqueued;
import dev.waybill.job.JobDefinition;
import dev.waybill.job.JobHandler;
import dev.waybill.job.JobInfo;
import dev.waybill.job.JobOptions;
import dev.waybill.job.JobRequest;
import dev.waybill.job.JobStatus;
import dev.waybill.job.Jobs;
import dev.waybill.job.Scope;
import dev.waybill.schema.Schema;
import dev.waybill.spi.JobListener;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import javax.sql.DataSource;

/** Jobs on a real database: a door always, workers when a test wants them. */
final class JobBench {
  static final Duration SOON = Duration.ofSeconds(10);

  /** Jobs wherever they are, as far as tests count them. */
  private static final String EVERYWHERE =
      """
      (
        select id, type, tenant, status, turn, due_at, attempt, worker, leased_at, lease_until, finished_at, held_hash from waybill_job
        union all
        select f.id, f.type, '', case when f.status = 1 then 1 when (f.done >> p) & 1 = 1 then 3 else 2 end, f.turn, f.created_at,
          case when f.status = 1 then 0 else 1 end, f.worker, f.leased_at, f.lease_until, f.finished_at, null
        from waybill_job_freight f cross join lateral generate_series(0, f.jobs - 1) p
      ) waybill_job""";

  private final TestDatabase home;
  private final Database database;
  private final Jobs jobs;
  private final TenantRounds rounds = new TenantRounds();

  private JobBench(TestDatabase home, Database database) {
    this.home = home;
    this.database = database;
    this.jobs =
        new JobEngine(
                database, Time.system(), new Crew(Time.system()), JobOptions.of("door"), Map.of())
            .jobs();
  }

  /** Migrates and defines types. */
  static JobBench on(TestDatabase home, JobDefinition... definitions) {
    Schema.migrate(home.dataSource());
    boolean file = home.product() == DatabaseProduct.SQLITE;
    JobBench bench = over(home, file ? home.dataSource() : home.pool(10));
    bench.jobs.syncDefinitions(List.of(definitions));
    return bench;
  }

  /** Over another source of connections to a migrated database. */
  static JobBench over(TestDatabase home, DataSource source) {
    return new JobBench(home, open(source));
  }

  static Database open(DataSource source) {
    return Database.open(
        source, Naming.standard(), JobEngine.SQL_FILES, Retry.standard(Time.system()::sleep));
  }

  /** As the pipeline chooses it. */
  static Crew crew(Database database) {
    return database.waitsInNativeCode()
        ? Crew.ofPlatformThreads(Time.system())
        : new Crew(Time.system());
  }

  /** For a worker of its own, with nobody to wake. */
  static JobWakeups nobody() {
    return new JobWakeups(Notices.none(), Set.of(), new RunningJobs(1), new Bell());
  }

  Database database() {
    return database;
  }

  Jobs jobs() {
    return jobs;
  }

  TestDatabase home() {
    return home;
  }

  static JobOptions quick(String worker) {
    return JobOptions.of(worker)
        .withConcurrency(4)
        .withPoll(Duration.ofMillis(20), Duration.ofMillis(100))
        .withReap(Duration.ofMillis(100))
        .withCancelGrace(Duration.ofMillis(100));
  }

  /** Workers that run until closed. */
  Running start(JobOptions options, Map<String, JobHandler> handlers) {
    return start(options, handlers, List.of());
  }

  Running start(JobOptions options, Map<String, JobHandler> handlers, List<JobListener> listeners) {
    Crew crew = crew(database);
    JobEngine engine =
        new JobEngine(
            database,
            Time.system(),
            crew,
            options,
            handlers,
            StepEnds.NONE,
            Notices.none(),
            true,
            listeners,
            new Endings());
    crew.start();
    return new Running(crew, engine);
  }

  Running start(String type, JobHandler handler) {
    return start(quick("w1"), Map.of(type, handler));
  }

  record Running(Crew crew, JobEngine engine) implements AutoCloseable {
    Jobs jobs() {
      return engine.jobs();
    }

    @Override
    public void close() {
      engine.askToStop();
      crew.stop(Duration.ofSeconds(10));
      engine.handBack();
    }
  }

  /** Claims without workers. */
  List<Claim> claim(String worker, int slots, Duration lease, String... types) {
    return database.transact(
        tx -> {
          JobLeaseStore store = JobLeaseStore.in(tx);
          List<Claim> claims =
              new ClaimPlan(store, rounds, Map.of(), slots).claim(Set.of(types)).claims();
          if (!claims.isEmpty()) {
            store.lease(claims, worker, lease);
            claims.forEach(claim -> rounds.served(claim.tenant()));
          }
          return claims;
        });
  }

  static Fence fence(Claim claim, String worker) {
    return new Fence(claim.id(), claim.run(), claim.attempt(), worker);
  }

  JobInfo get(UUID id) {
    return jobs.find(Scope.admin(), id).orElseThrow();
  }

  /** Waits until a job is in a status. */
  JobInfo await(UUID id, JobStatus status) throws InterruptedException {
    Instant end = Instant.now().plus(SOON);
    JobInfo job = get(id);
    while (job.status() != status) {
      if (Instant.now().isAfter(end)) {
        throw new AssertionError("waited in vain for " + status + ": " + job);
      }
      Thread.onSpinWait();
      job = get(id);
    }
    return job;
  }

  /** Waits until there are no such rows. */
  void awaitNone(String from) throws SQLException {
    awaitNone(from, SOON);
  }

  void awaitNone(String from, Duration patience) throws SQLException {
    Instant end = Instant.now().plus(patience);
    while (count(from) > 0) {
      if (Instant.now().isAfter(end)) {
        throw new AssertionError("there still are " + count(from) + " " + from);
      }
      Thread.onSpinWait();
    }
  }

  /** Lets time pass for a job: what it waits for was so much earlier. */
  void age(Duration by) throws SQLException {
    long micros = by.toNanos() / 1000;
    home.execute(
        "update waybill_job set due_at = due_at - %d, turn = turn - %d".formatted(micros, micros),
        "update waybill_job set lease_until = lease_until - " + micros,
        "update waybill_job set finished_at = finished_at - " + micros,
        "update waybill_job_schedule set next_fire_at = next_fire_at - %d, scheduled_for ="
                .formatted(micros)
            + " scheduled_for - "
            + micros);
    if (home.product() == DatabaseProduct.POSTGRESQL) {
      home.execute(
          "update waybill_job_freight set lease_until = lease_until - %d, finished_at = finished_at - %d,"
                  .formatted(micros, micros)
              + " turn = turn - %d, created_at = created_at - %d".formatted(micros, micros));
    }
  }

  /** Enqueues so many that are alike, in a transaction of their own. */
  List<UUID> load(JobRequest request, int jobs) throws SQLException {
    try (Connection connection = home.connect()) {
      connection.setAutoCommit(false);
      List<UUID> ids =
          this.jobs.enqueueAll(connection, Collections.nCopies(jobs, request)).stream()
              .map(Enqueued::id)
              .toList();
      connection.commit();
      return ids;
    }
  }

  private String everywhere(String from) {
    return home.product() == DatabaseProduct.POSTGRESQL
        ? from.replaceFirst("^waybill_job(?= |$)", EVERYWHERE)
        : from;
  }

  /** So many rows; of jobs, those that are in freights, too. */
  long count(String from) throws SQLException {
    try (Connection connection = home.connect();
        Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery("select count(*) from " + everywhere(from))) {
      result.next();
      return result.getLong(1);
    }
  }
}
