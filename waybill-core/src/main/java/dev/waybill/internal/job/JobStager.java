package dev.waybill.internal.job;

import dev.waybill.internal.loop.Next;
import dev.waybill.internal.loop.Time;
import dev.waybill.internal.loop.Worker;
import dev.waybill.internal.sql.Database;
import dev.waybill.internal.store.JobExpress;
import dev.waybill.internal.store.JobExpress.Staged;
import dev.waybill.internal.store.JobLeaseStore;
import dev.waybill.job.JobOptions;
import java.time.Duration;
import java.util.Optional;

/**
 * Moves scheduled jobs into the line when their time has come, so that claims never meet the ones
 * whose time has not. Sleeps until the next is due, but not so long that one enqueued elsewhere
 * would be late.
 */
final class JobStager implements Worker {
  private static final int BATCH = 1000;

  /** Every producer rings, and few of their jobs are for later: a ring is heard so often. */
  private static final Duration PAUSE = Duration.ofMillis(50);

  private final Database database;
  private final Optional<JobExpress> express;
  private final Time time;
  private final JobOptions options;
  private final JobWakeups wakeups;
  private long looked;
  private long planned;

  JobStager(Database database, Time time, JobOptions options, JobWakeups wakeups) {
    this.database = database;
    this.express = JobExpress.of(database);
    this.time = time;
    this.planned = time.nanos();
    this.options = options;
    this.wakeups = wakeups;
  }

  @Override
  public String name() {
    return "job-stager";
  }

  @Override
  public Next runOnce() {
    long rest = Math.min(looked + PAUSE.toNanos(), planned) - time.nanos();
    if (rest > 0) {
      return Next.after(Duration.ofNanos(rest));
    }
    Staged staged = express.map(way -> way.stage(BATCH)).orElseGet(this::stage);
    if (staged.count() > 0) {
      wakeups.ready();
    }
    Duration wait = wait(staged);
    looked = time.nanos();
    planned = looked + wait.toNanos();
    return wait.isZero() ? Next.now() : Next.sleep(wait);
  }

  private Duration wait(Staged staged) {
    Duration next = staged.untilNext().orElse(options.idlePoll());
    if (staged.count() == BATCH) {
      return Duration.ZERO;
    }
    if (next.isNegative() || next.isZero()) {
      // Due, but somebody holds it.
      return staged.count() > 0 ? Duration.ZERO : options.poll();
    }
    return next.compareTo(options.idlePoll()) < 0 ? next : options.idlePoll();
  }

  private Staged stage() {
    return database.transact(
        tx -> {
          JobLeaseStore store = JobLeaseStore.in(tx);
          return new Staged(store.stage(BATCH), store.untilNextDue());
        });
  }
}
