package dev.waybill.internal;

import dev.waybill.Health;
import dev.waybill.internal.job.EndedVacuum;
import dev.waybill.internal.job.JobEngine;
import dev.waybill.internal.loop.Bounded;
import dev.waybill.internal.loop.Crew;
import dev.waybill.internal.loop.FailingWorkers;
import dev.waybill.internal.loop.LoopOptions;
import dev.waybill.internal.loop.Time;
import dev.waybill.internal.notice.Notices;
import dev.waybill.internal.outbox.OutboxPipeline;
import dev.waybill.internal.sql.Database;
import dev.waybill.internal.sql.Endings;
import dev.waybill.internal.sql.Naming;
import dev.waybill.internal.sql.Retry;
import dev.waybill.internal.workflow.WorkflowEngine;
import dev.waybill.internal.workflow.WorkflowReleaser;
import dev.waybill.job.JobDefinition;
import dev.waybill.job.JobHandler;
import dev.waybill.job.Jobs;
import dev.waybill.job.JobsConfig;
import dev.waybill.outbox.Outbox;
import dev.waybill.outbox.OutboxConfig;
import dev.waybill.schema.Schema;
import dev.waybill.schema.SchemaOptions;
import dev.waybill.spi.JobListener;
import dev.waybill.spi.OutboxListener;
import dev.waybill.workflow.Workflows;
import dev.waybill.workflow.WorkflowsConfig;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Everything that runs in the background, in the order in which a row meets it.
 *
 * <p><b>A message.</b> The enqueuer stores it in the caller's transaction. The promoter holds it
 * back while it is delayed. A sequencer gives it its number. The processor has it delivered. The
 * vacuum removes it, or the rotator all of its slot. The reconciler finds what nobody announced,
 * and the pace keeper writes down how long it took. {@link OutboxPipeline} lists them as workers.
 *
 * <p><b>A job.</b> The enqueuer stores it, the scheduler too. The stager releases what is due. The
 * claimer takes as many as there are free slots, the runner runs them, the heart renews their
 * leases, the settler stores how they ended, the reaper finds those whose process died. {@link
 * JobEngine} lists them. A vacuum deletes what ended long enough ago, if that was asked for.
 *
 * <p><b>A workflow.</b> The starter stores it and makes jobs of its first steps. Whoever ends a
 * step's job has the releaser go on with the graph in the same transaction. The timekeeper ends
 * delays and gates whose time has come. {@link WorkflowEngine} adds it.
 *
 * <p><b>Another process</b> hears of work through {@link Notices}, if the database passes them on.
 */
public final class Pipeline {
  private static final Logger log = LoggerFactory.getLogger(Pipeline.class);
  private static final Duration LAST_WORDS = Duration.ofSeconds(5);
  private static final List<String> STATEMENTS =
      Stream.of(
              List.of("outbox", "parked", "dead_letters"),
              JobEngine.SQL_FILES,
              WorkflowEngine.SQL_FILES)
          .flatMap(List::stream)
          .toList();

  private final Crew crew;
  private final SessionKeeper keeper;
  private final FailingWorkers failing;
  private final OutboxPipeline outbox;
  private final Optional<JobEngine> jobs;
  private final Optional<WorkflowEngine> workflows;
  private final Duration stopGrace;
  private final AtomicBoolean closed = new AtomicBoolean();

  private Pipeline(
      Crew crew,
      SessionKeeper keeper,
      FailingWorkers failing,
      OutboxPipeline outbox,
      Optional<JobEngine> jobs,
      Optional<WorkflowEngine> workflows,
      Duration stopGrace) {
    this.crew = crew;
    this.keeper = keeper;
    this.failing = failing;
    this.outbox = outbox;
    this.jobs = jobs;
    this.workflows = workflows;
    this.stopGrace = stopGrace;
  }

  /** Checks the schema, registers what was declared, and starts the workers. */
  public static Pipeline start(
      DataSource dataSource,
      SchemaOptions schema,
      OutboxConfig config,
      Optional<JobsConfig> plainJobs,
      Optional<WorkflowsConfig> workflowsConfig,
      List<OutboxListener> listeners,
      List<JobListener> jobListeners,
      Duration stopGrace) {
    Schema.check(dataSource, schema);
    Optional<JobsConfig> jobsConfig = plainJobs.or(() -> workflowsConfig.map(w -> noJobs()));
    Time time = Time.system();
    var keeper = new SessionKeeper(time);
    boolean started = false;
    try {
      Database database =
          Database.open(
                  dataSource,
                  new Naming(schema.prefix(), schema.schema()),
                  STATEMENTS,
                  Retry.standard(time::sleep))
              .keeping(keeper.shelf());
      Crew crew = database.waitsInNativeCode() ? Crew.ofPlatformThreads(time) : new Crew(time);
      var failing = new FailingWorkers();
      crew.watchedBy(failing);
      crew.add(keeper, keeper.options());
      String owner = owner();
      Notices notices = Notices.of(database, owner, time);
      Endings endings = new Endings();
      var outbox =
          new OutboxPipeline(database, config, listeners, time, crew, owner, notices, endings);
      Optional<JobEngine> jobs =
          jobsConfig.map(
              wanted ->
                  new JobEngine(
                      database,
                      time,
                      crew,
                      wanted.options(owner),
                      handlers(database, wanted, workflowsConfig),
                      new WorkflowReleaser(time),
                      notices,
                      wanted.workers(),
                      jobListeners,
                      endings));
      // Always: a process that only works on jobs may have to end delays for the others.
      Optional<WorkflowEngine> workflows =
          jobs.map(
              engine ->
                  new WorkflowEngine(
                      database,
                      time,
                      crew,
                      engine.jobs(),
                      engine.wakeups(),
                      jobsConfig.orElseThrow().workers(),
                      endings));
      jobs.ifPresent(
          engine ->
              engine
                  .jobs()
                  .syncDefinitions(definitions(jobsConfig.orElseThrow(), workflowsConfig)));
      jobs.ifPresent(
          engine -> engine.jobs().schedules().sync(jobsConfig.orElseThrow().schedules()));
      jobs.ifPresent(
          engine ->
              vacuum(crew, "job", jobsConfig.orElseThrow().retention(), engine.jobs()::purge));
      workflowsConfig.ifPresent(
          wanted ->
              vacuum(
                  crew,
                  "workflow",
                  wanted.retention(),
                  workflows.orElseThrow().workflows()::purge));
      notices.addTo(crew);
      crew.start();
      started = true;
      return new Pipeline(
          crew,
          keeper,
          failing,
          outbox,
          jobs,
          workflowsConfig.isPresent() ? workflows : Optional.empty(),
          stopGrace);
    } finally {
      if (!started) {
        keeper.shelf().close();
      }
    }
  }

  private static <S> void vacuum(
      Crew crew, String what, Map<S, Duration> ages, EndedVacuum.Purge<S> purge) {
    if (!ages.isEmpty()) {
      crew.add(new EndedVacuum<>(what + "-vacuum", ages, purge), LoopOptions.defaults());
    }
  }

  private static JobsConfig noJobs() {
    return new JobsConfig(List.of(), Map.of(), List.of(), options -> options, Map.of(), true);
  }

  private static Map<String, JobHandler> handlers(
      Database database, JobsConfig jobs, Optional<WorkflowsConfig> workflows) {
    Map<String, JobHandler> all = new HashMap<>(jobs.handlers());
    workflows.ifPresent(
        config ->
            WorkflowEngine.asJobs(database, config.handlers())
                .forEach(
                    (type, handler) -> {
                      if (all.put(type, handler) != null) {
                        throw new IllegalArgumentException(
                            "Job type '"
                                + type
                                + "' has a handler among the jobs and among the"
                                + " workflows' steps: leave one out.");
                      }
                    }));
    if (!jobs.workers() && !all.isEmpty()) {
      throw new IllegalArgumentException(
          "A process without workers runs no steps: leave out the handlers of "
              + all.keySet()
              + ", or withoutWorkers().");
    }
    return all;
  }

  private static List<JobDefinition> definitions(
      JobsConfig jobs, Optional<WorkflowsConfig> workflows) {
    return Stream.concat(
            jobs.definitions().stream(),
            workflows.stream().flatMap(config -> config.definitions().stream()))
        .toList();
  }

  /** Unique, and telling to whoever reads it in a table: which process of which machine. */
  private static String owner() {
    return ProcessHandle.current().pid() + "-" + UUID.randomUUID();
  }

  /** Whether the workers get on. */
  public Health health() {
    return new Health(failing.all());
  }

  /** The outbox's door. */
  public Outbox outbox() {
    return outbox.door();
  }

  /** The jobs' door; empty if none were set up. */
  public Optional<Jobs> jobs() {
    return jobs.map(JobEngine::jobs);
  }

  /** The workflows' door; empty if none were set up. */
  public Optional<Workflows> workflows() {
    return workflows.map(WorkflowEngine::workflows);
  }

  /**
   * Stops within the grace period and some seconds, whatever the database does; a second time does
   * nothing.
   */
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    // First, so that nobody waits in a small pool for a connection that is only kept.
    Bounded.run("give-back", Duration.ofSeconds(1), keeper.shelf()::close);
    jobs.ifPresent(JobEngine::askToStop);
    crew.stop(stopGrace);
    // A database that hangs would keep this thread for ever.
    if (!Bounded.run("close", LAST_WORDS, this::handBack)) {
      log.warn(
          "The database does not answer, so leases could not be given back within {}: others have"
              + " to wait for their end",
          LAST_WORDS);
    }
  }

  private void handBack() {
    try {
      outbox.release();
    } catch (RuntimeException e) {
      log.warn("Leases could not be given back: others have to wait for their end", e);
    }
    try {
      jobs.ifPresent(JobEngine::handBack);
    } catch (RuntimeException e) {
      log.warn("What jobs had ended with could not be stored: they run again", e);
    }
  }
}
