package dev.waybill.internal.job;

import dev.waybill.internal.job.JobRun.Stop;
import dev.waybill.internal.loop.Interrupts;
import dev.waybill.internal.loop.Time;
import dev.waybill.internal.sql.Database;
import dev.waybill.job.AttemptOutcome;
import dev.waybill.job.JobHandler;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Calls the handler and turns whatever happens into an {@link Ending}. */
final class JobRunner {
  private static final Logger log = LoggerFactory.getLogger(JobRunner.class);

  private final Database database;
  private final Time time;
  private final Map<String, JobHandler> handlers;
  private final JobSettler settler;
  private final JobNews news;

  JobRunner(
      Database database,
      Time time,
      Map<String, JobHandler> handlers,
      JobSettler settler,
      JobNews news) {
    this.database = database;
    this.time = time;
    this.handlers = handlers;
    this.settler = settler;
    this.news = news;
  }

  void run(JobRun run) {
    if (!mayBegin(run)) {
      handBack(run);
      return;
    }
    Ending ending;
    news.started(run);
    run.begin();
    try {
      ending = call(run);
    } finally {
      run.end();
      // A handler that was interrupted may have left that to whoever comes next.
      Interrupts.clear();
    }
    settler.settle(run, ending);
  }

  /**
   * Not if this process is to stop, nor if another may have the job by now: it was suspended, say,
   * or the job was canceled. Whoever is only late begins, and learns that its time is over.
   */
  private boolean mayBegin(JobRun run) {
    Stop stop = run.stop();
    return (stop == null || stop == Stop.TIMEOUT) && time.nanos() - run.leaseEnd() < 0;
  }

  /** Gives back a job that was not begun. */
  void handBack(JobRun run) {
    run.end();
    settler.settle(run, Ending.released());
  }

  private Ending call(JobRun run) {
    JobHandler handler = handlers.get(run.claim().type());
    if (handler == null) {
      return Ending.of(
          AttemptOutcome.TERMINAL, "job.handler_not_registered", "no handler in this process");
    }
    Ending ending;
    try {
      ending = Ending.of(handler.run(new AttemptContext(database, time, run)));
    } catch (Throwable thrown) {
      ending = thrown(run, thrown);
    }
    // Whoever is done after the deadline is not done in time, however far it came.
    return run.stop() == Stop.TIMEOUT || time.nanos() - run.deadline() >= 0
        ? Ending.timedOut(run.timeout())
        : ending;
  }

  private static Ending thrown(JobRun run, Throwable thrown) {
    Stop stop = run.stop();
    if (stop == Stop.SHUTDOWN) {
      log.debug("{} ended by the shutdown", run, Wording.readable(thrown));
      return Ending.released();
    }
    if (stop == Stop.LEASE_LOST) {
      log.debug("{} ended without its lease", run, Wording.readable(thrown));
      return Ending.of(
          AttemptOutcome.RETRYABLE, "job.lease_maintenance_failed", "stopped for want of a lease");
    }
    if (stop == null) {
      log.warn(
          "{} of type {} let an exception out", run, run.claim().type(), Wording.readable(thrown));
    }
    return Ending.panicked(thrown);
  }
}
