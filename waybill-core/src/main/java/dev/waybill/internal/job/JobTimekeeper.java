package dev.waybill.internal.job;

import dev.waybill.internal.job.JobRun.Stop;
import dev.waybill.internal.loop.Next;
import dev.waybill.internal.loop.Time;
import dev.waybill.internal.loop.Worker;
import dev.waybill.job.JobOptions;
import java.time.Duration;

/**
 * Stops handlers whose deadline has passed or whose lease may have ended, first by asking, then by
 * interrupting. Touches no database, so that nothing there can delay it.
 */
final class JobTimekeeper implements Worker {
  private final Time time;
  private final JobOptions options;
  private final RunningJobs running;

  JobTimekeeper(Time time, JobOptions options, RunningJobs running) {
    this.time = time;
    this.options = options;
    this.running = running;
  }

  @Override
  public String name() {
    return "job-timekeeper";
  }

  @Override
  public Next runOnce() {
    long next = Time.FOREVER;
    for (JobRun run : running.all()) {
      if (!run.isDone()) {
        next = Math.min(next, check(run, time.nanos()));
      }
    }
    return next == Time.FOREVER
        ? Next.whenRung()
        : Next.sleep(Duration.ofNanos(Math.max(next, 1_000_000)));
  }

  /** Returns when to look again. */
  private long check(JobRun run, long now) {
    if (now - run.deadline() >= 0) {
      run.stop(Stop.TIMEOUT, now);
    }
    if (now - run.leaseEnd() >= 0) {
      run.stop(Stop.LEASE_LOST, now);
    }
    if (run.stop() != null) {
      return run.insist(options.cancelGrace(), now);
    }
    return Math.min(run.deadline() - now, run.leaseEnd() - now);
  }
}
