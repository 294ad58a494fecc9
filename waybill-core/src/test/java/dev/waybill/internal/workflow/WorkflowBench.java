package dev.waybill.internal.workflow;

import com.zaxxer.hikari.HikariDataSource;
import dev.waybill.internal.job.JobEngine;
import dev.waybill.internal.loop.Crew;
import dev.waybill.internal.loop.Time;
import dev.waybill.internal.notice.Notices;
import dev.waybill.internal.sql.Database;
import dev.waybill.internal.sql.Endings;
import dev.waybill.internal.sql.Naming;
import dev.waybill.internal.sql.Retry;
import dev.waybill.job.JobDefinition;
import dev.waybill.job.JobHandler;
import dev.waybill.job.JobOptions;
import dev.waybill.job.Jobs;
import dev.waybill.job.RetryPolicy;
import dev.waybill.job.Scope;
import dev.waybill.schema.Schema;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.TestDatabase;
import dev.waybill.workflow.Step;
import dev.waybill.workflow.StepHandler;
import dev.waybill.workflow.StepInfo;
import dev.waybill.workflow.StepStatus;
import dev.waybill.workflow.Workflow;
import dev.waybill.workflow.WorkflowInfo;
import dev.waybill.workflow.WorkflowStatus;
import dev.waybill.workflow.Workflows;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.stream.Stream;
import javax.sql.DataSource;

/** Workflows on a real database: a door always, workers when a test wants them. */
final class WorkflowBench {
  static final Duration SOON = Duration.ofSeconds(60);
  static final RetryPolicy AT_ONCE =
      RetryPolicy.standard().withBase(Duration.ofMillis(1)).withCap(Duration.ofMillis(1));

  private final TestDatabase home;
  private final Database database;
  private final Engine door;

  private WorkflowBench(TestDatabase home, Database database) {
    this.home = home;
    this.database = database;
    this.door = engine(JobOptions.of("door"), Map.of());
  }

  /** Migrates and defines types, with two attempts each. */
  static WorkflowBench on(TestDatabase home, String... types) {
    Schema.migrate(home.dataSource());
    WorkflowBench bench = over(home, source(home));
    bench.jobs().syncDefinitions(Stream.of(types).map(WorkflowBench::definition).toList());
    return bench;
  }

  static DataSource source(TestDatabase home) {
    if (home.product() == DatabaseProduct.SQLITE) {
      return home.dataSource();
    }
    HikariDataSource pool = home.pool(12);
    // A class has many databases, and the server does not have as many connections.
    pool.setMinimumIdle(0);
    pool.setIdleTimeout(10_000);
    return pool;
  }

  static JobDefinition definition(String type) {
    return JobDefinition.of(type).withMaxAttempts(2).withRetryPolicy(AT_ONCE);
  }

  /** Over another source of connections to a migrated database. */
  static WorkflowBench over(TestDatabase home, DataSource source) {
    return new WorkflowBench(home, open(source));
  }

  static Database open(DataSource source) {
    return Database.open(
        source,
        Naming.standard(),
        Stream.of(JobEngine.SQL_FILES, WorkflowEngine.SQL_FILES).flatMap(List::stream).toList(),
        Retry.standard(Time.system()::sleep));
  }

  /** The workers of a process, and its doors. */
  record Engine(Crew crew, JobEngine jobEngine, WorkflowEngine workflowEngine)
      implements AutoCloseable {
    Workflows workflows() {
      return workflowEngine.workflows();
    }

    @Override
    public void close() {
      jobEngine.askToStop();
      crew.stop(Duration.ofSeconds(10));
      jobEngine.handBack();
    }
  }

  private Engine engine(JobOptions options, Map<String, JobHandler> handlers) {
    Crew crew =
        database.waitsInNativeCode()
            ? Crew.ofPlatformThreads(Time.system())
            : new Crew(Time.system());
    JobEngine jobs =
        new JobEngine(
            database,
            Time.system(),
            crew,
            options,
            handlers,
            new WorkflowReleaser(Time.system()),
            Notices.none(),
            true);
    WorkflowEngine workflows =
        new WorkflowEngine(
            database, Time.system(), crew, jobs.jobs(), jobs.wakeups(), true, new Endings());
    return new Engine(crew, jobs, workflows);
  }

  static JobOptions quick(String worker) {
    return JobOptions.of(worker)
        .withConcurrency(8)
        .withPoll(Duration.ofMillis(20), Duration.ofMillis(100))
        .withReap(Duration.ofMillis(100))
        .withCancelGrace(Duration.ofMillis(100));
  }

  /** Workers that run until closed. */
  Engine start(JobOptions options, Map<String, StepHandler> handlers) {
    Engine engine = engine(options, WorkflowEngine.asJobs(database, handlers));
    engine.crew().start();
    return engine;
  }

  Engine start(String type, StepHandler handler) {
    return start(quick("w1"), Map.of(type, handler));
  }

  Database database() {
    return database;
  }

  TestDatabase home() {
    return home;
  }

  Jobs jobs() {
    return door.jobEngine().jobs();
  }

  Workflows workflows() {
    return door.workflows();
  }

  UUID start(Workflow.Builder workflow) {
    return workflows().start(workflow.build()).id();
  }

  /** Steps of one type. */
  static Workflow.Builder of(Step.Builder... steps) {
    Workflow.Builder workflow = Workflow.of("flow");
    for (Step.Builder step : steps) {
      workflow.step(step);
    }
    return workflow;
  }

  WorkflowInfo get(UUID run) {
    return workflows().find(Scope.admin(), run).orElseThrow();
  }

  Map<String, StepStatus> statuses(UUID run) {
    Map<String, StepStatus> statuses = new LinkedHashMap<>();
    steps(run).values().forEach(step -> statuses.put(step.key(), step.status()));
    return statuses;
  }

  Map<String, StepInfo> steps(UUID run) {
    Map<String, StepInfo> steps = new LinkedHashMap<>();
    workflows().steps(Scope.admin(), run).forEach(step -> steps.put(step.key(), step));
    return steps;
  }

  StepInfo step(UUID run, String key) {
    return Objects.requireNonNull(steps(run).get(key), key);
  }

  /** Waits until a run has ended. */
  WorkflowInfo awaitEnd(UUID run) throws InterruptedException {
    return await(run, info -> info.status().isTerminal());
  }

  WorkflowInfo await(UUID run, WorkflowStatus status) throws InterruptedException {
    return await(run, info -> info.status() == status);
  }

  StepInfo await(UUID run, String step, StepStatus status) throws InterruptedException {
    await(run, info -> step(run, step).status() == status);
    return step(run, step);
  }

  WorkflowInfo await(UUID run, Predicate<WorkflowInfo> wanted) throws InterruptedException {
    Instant end = Instant.now().plus(SOON);
    WorkflowInfo info = get(run);
    while (!wanted.test(info)) {
      if (Instant.now().isAfter(end)) {
        throw new AssertionError("waited in vain: " + info + " " + statuses(run));
      }
      Time.system().sleep(Duration.ofMillis(5));
      info = get(run);
    }
    return info;
  }

  /** Lets time pass for all timers. */
  void age(Duration by) throws SQLException {
    long micros = by.toNanos() / 1000;
    home.execute(
        "update waybill_workflow_step set wake_at = wake_at - %d, released_at = released_at - %d"
            .formatted(micros, micros),
        "update waybill_workflow set finished_at = finished_at - %d, active_until = active_until - %d"
            .formatted(micros, micros),
        "update waybill_job set lease_until = lease_until - %d, due_at = due_at - %d"
            .formatted(micros, micros));
  }

  long count(String from) throws SQLException {
    try (Connection connection = home.connect();
        Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery("select count(*) from " + from)) {
      result.next();
      return result.getLong(1);
    }
  }
}
