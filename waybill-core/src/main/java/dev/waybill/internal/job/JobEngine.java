package dev.waybill.internal.job;

import dev.waybill.internal.loop.Backoff;
import dev.waybill.internal.loop.Bell;
import dev.waybill.internal.loop.Bounded;
import dev.waybill.internal.loop.Crew;
import dev.waybill.internal.loop.LoopOptions;
import dev.waybill.internal.loop.Relay;
import dev.waybill.internal.loop.Time;
import dev.waybill.internal.notice.Notices;
import dev.waybill.internal.sql.Database;
import dev.waybill.internal.sql.Endings;
import dev.waybill.job.JobHandler;
import dev.waybill.job.JobOptions;
import dev.waybill.job.Jobs;
import dev.waybill.spi.JobListener;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Everything about jobs, wired: the door and the workers, in the order a job meets them.
 *
 * <p>To stop: {@link #askToStop}, then stop the crew, then {@link #handBack}.
 */
public final class JobEngine {
  /** The files of the catalogue that the engine's statements are in. */
  public static final List<String> SQL_FILES = List.of("job", "schedule");

  private static final Backoff SETTLE_BACKOFF =
      Backoff.standard().withInitial(Duration.ofMillis(20)).withMax(Duration.ofSeconds(2));

  /** So long a stop waits for what has ended before it to be settled; it is tried once more. */
  private static final Duration LAST_WORDS = Duration.ofSeconds(1);

  private final Time time;
  private final Crew crew;
  private final RunningJobs running;
  private final JobWakeups wakeups;
  private final JobClaimer claimer;
  private final JobSettler settler;
  private final JobHeart heart;
  private final Jobs jobs;

  /** Without workflows. */
  public JobEngine(
      Database database,
      Time time,
      Crew crew,
      JobOptions options,
      Map<String, JobHandler> handlers) {
    this(database, time, crew, options, handlers, StepEnds.NONE, Notices.none(), true);
  }

  /** With nobody who listens. */
  public JobEngine(
      Database database,
      Time time,
      Crew crew,
      JobOptions options,
      Map<String, JobHandler> handlers,
      StepEnds steps,
      Notices notices,
      boolean workers) {
    this(
        database, time, crew, options, handlers, steps, notices, workers, List.of(), new Endings());
  }

  /**
   * Adds the workers to a crew that is not started yet. A process without handlers only produces:
   * it neither claims nor renews, but stages, reaps and schedules for the others.
   *
   * @param workers whether there are any; else there is only the door
   * @param endings of transactions in which jobs may be enqueued
   */
  public JobEngine(
      Database database,
      Time time,
      Crew crew,
      JobOptions options,
      Map<String, JobHandler> handlers,
      StepEnds steps,
      Notices notices,
      boolean workers,
      List<JobListener> listeners,
      Endings endings) {
    this.time = time;
    this.crew = crew;
    Map<String, JobHandler> byType = new TreeMap<>(handlers);
    Bell due = new Bell();
    Bell schedules = new Bell();
    Verdict verdict = new Verdict(() -> ThreadLocalRandom.current().nextDouble());
    RetryPolicies policies = new RetryPolicies(time);
    JobIds ids = new JobIds(time);
    JobNews news = new JobNews(listeners);
    JobEnqueuer enqueuer = new JobEnqueuer(ids, news);

    this.running = new RunningJobs(options.concurrency());
    this.wakeups = new JobWakeups(notices, byType.keySet(), running, due);
    this.settler =
        new JobSettler(
            new JobSettlement(database, policies, verdict, steps, endings),
            running,
            wakeups,
            news,
            options.batch(),
            crew,
            time);
    JobRunner runner = new JobRunner(database, time, byType, settler, news);
    Relay<JobRun> relay = new Relay<>(crew, "job", runner::run, runner::handBack);
    this.heart = new JobHeart(database, time, options, running);
    this.claimer =
        new JobClaimer(
            database, time, crew, options, byType.keySet(), running, heart, runner, relay, news);
    JobDepartures departures =
        new JobDepartures(
            database, time, crew, options, running, claimer, heart, runner, wakeups, news);
    Scheduler scheduler = new Scheduler(database, enqueuer, wakeups, news);

    LoopOptions loop = LoopOptions.defaults();
    if (workers) {
      crew.add(scheduler, loop.withBells(schedules));
      crew.add(new JobStager(database, time, options, wakeups), loop.withBells(due));
    }
    if (!byType.isEmpty()) {
      crew.add(claimer, loop.withBells(running.changed()));
      crew.add(new JobTimekeeper(time, options, running), loop.withBells(running.watched()));
      crew.add(heart, loop.withBells(running.watched()).withBackoff(SETTLE_BACKOFF));
      crew.add(settler, loop.withBells(settler.bell()).withBackoff(SETTLE_BACKOFF));
    }
    if (workers) {
      crew.add(new JobReaper(database, options, policies, verdict, steps, wakeups, news), loop);
    }

    this.jobs =
        new JobDoor(
            database,
            enqueuer,
            new DefinitionCatalog(database),
            new JobOperations(ids, steps),
            new ScheduleDoor(database, scheduler, schedules, wakeups),
            departures,
            endings,
            wakeups,
            news);
  }

  /** The door. */
  public Jobs jobs() {
    return jobs;
  }

  /** To be told when there may be something to claim. */
  public JobWakeups wakeups() {
    return wakeups;
  }

  /** No further claims; handlers learn that they should stop, whatever the database does. */
  public void askToStop() {
    claimer.close();
    running.all().forEach(run -> run.stop(JobRun.Stop.SHUTDOWN, time.nanos()));
    crew.run("job-heart", heart::beatToTheEnd);
    Bounded.run("settle", LAST_WORDS, settler::close);
  }

  /** After the crew has stopped: settles what has ended meanwhile and gives connections back. */
  public void handBack() {
    settler.close();
    heart.close();
  }
}
