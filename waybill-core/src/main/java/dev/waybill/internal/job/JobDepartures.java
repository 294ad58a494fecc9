package dev.waybill.internal.job;

import dev.waybill.internal.loop.Crew;
import dev.waybill.internal.loop.Relay;
import dev.waybill.internal.loop.Time;
import dev.waybill.internal.sql.Database;
import dev.waybill.internal.sql.Tx;
import dev.waybill.internal.store.JobExpress;
import dev.waybill.internal.store.JobLeaseStore.Claim;
import dev.waybill.job.JobOptions;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What jobs need to depart with their producers' commits: a slot that is kept for them meanwhile, a
 * lease like any other, and somebody who looks after those whose commit got no answer.
 */
final class JobDepartures {
  private static final Logger log = LoggerFactory.getLogger(JobDepartures.class);

  private final Optional<JobExpress> express;
  private final Time time;
  private final JobOptions options;
  private final RunningJobs running;
  private final JobClaimer claimer;
  private final JobHeart heart;
  private final JobRunner runner;
  private final Relay<JobRun> relay;
  private final JobWakeups wakeups;
  private final JobNews news;
  private final DeparturePace pace;

  JobDepartures(
      Database database,
      Time time,
      Crew crew,
      JobOptions options,
      RunningJobs running,
      JobClaimer claimer,
      JobHeart heart,
      JobRunner runner,
      JobWakeups wakeups,
      JobNews news) {
    this.express = JobExpress.of(database);
    this.time = time;
    this.options = options;
    this.running = running;
    this.claimer = claimer;
    this.heart = heart;
    this.runner = runner;
    this.relay = new Relay<>(crew, "job", this::run, runner::handBack);
    this.wakeups = wakeups;
    this.news = news;
    this.pace = new DeparturePace(time.nanos());
  }

  /** Of a transaction that has enqueued nothing yet. */
  JobDeparture next() {
    return new JobDeparture(this);
  }

  /**
   * Leases a job that this transaction has enqueued, right before its commit; null if it is not to
   * be had that way.
   */
  @Nullable JobRun take(Tx tx, UUID id, Set<String> types) {
    if (express.isEmpty()
        || !claimer.takes(types)
        || !pace.allows(time.nanos())
        || !running.ahead().keep(id, running::free)) {
      return null;
    }
    Optional<Claim> claim = Optional.empty();
    long asked = time.nanos();
    try {
      claim = express.get().depart(tx, id, claimer.types(), options.worker(), options.lease());
    } finally {
      if (claim.isEmpty()) {
        giveUp(id);
      }
    }
    return claim.map(taken -> claimer.attempt(taken, asked)).orElse(null);
  }

  private void giveUp(UUID id) {
    running.ahead().giveUp(id);
    running.freed();
  }

  /** The job is durable, and so is its lease. */
  void go(JobRun run) {
    // It counts twice for a moment: a claimer that looked just then found no slot, and is told.
    running.add(List.of(run));
    claimer.stopIfClosed(List.of(run));
    giveUp(run.claim().id());
    news.claimed(List.of(run.claim()));
    relay.add(List.of(run));
  }

  /** What could not be renewed is not begun; the producer does not wait for that. */
  private void run(JobRun run) {
    try {
      heart.prepare();
    } catch (RuntimeException e) {
      log.warn("{} is given back: there is no connection to renew its lease with", run, e);
      runner.handBack(run);
      return;
    }
    runner.run(run);
  }

  /** Perhaps it was committed all the same: then the lease is ours, and nobody runs the job. */
  void lost(JobRun run) {
    giveUp(run.claim().id());
    claimer.doubt();
  }

  /** The ordinary way. */
  void announce(Set<String> types, int jobs) {
    wakeups.wake(types, jobs);
  }
}
