package dev.waybill.internal.job;

import dev.waybill.internal.loop.Next;
import dev.waybill.internal.loop.Worker;
import dev.waybill.internal.sql.Database;
import dev.waybill.internal.store.JobLeaseStore;
import dev.waybill.job.JobOptions;
import java.time.Duration;

/**
 * Moves scheduled jobs into the line when their time has come, so that claims never meet the ones
 * whose time has not. Sleeps until the next is due, but not so long that one enqueued elsewhere
 * would be late.
 */
final class JobStager implements Worker {
  private static final int BATCH = 1000;

  private final Database database;
  private final JobOptions options;
  private final JobWakeups wakeups;

  JobStager(Database database, JobOptions options, JobWakeups wakeups) {
    this.database = database;
    this.options = options;
    this.wakeups = wakeups;
  }

  @Override
  public String name() {
    return "job-stager";
  }

  private record Staged(int count, Duration untilNext) {}

  @Override
  public Next runOnce() {
    Staged staged =
        database.transact(
            tx -> {
              JobLeaseStore store = JobLeaseStore.in(tx);
              return new Staged(
                  store.stage(BATCH), store.untilNextDue().orElse(options.idlePoll()));
            });
    if (staged.count() > 0) {
      wakeups.ready();
    }
    Duration next = staged.untilNext();
    if (staged.count() == BATCH) {
      return Next.now();
    }
    if (next.isNegative() || next.isZero()) {
      // Due, but somebody holds it.
      return staged.count() > 0 ? Next.now() : Next.after(options.poll());
    }
    return Next.sleep(next.compareTo(options.idlePoll()) < 0 ? next : options.idlePoll());
  }
}
