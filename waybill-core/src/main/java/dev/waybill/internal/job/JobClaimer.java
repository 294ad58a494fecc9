package dev.waybill.internal.job;

import dev.waybill.DatabaseException;
import dev.waybill.DatabaseException.Kind;
import dev.waybill.internal.job.JobRun.Stop;
import dev.waybill.internal.loop.Crew;
import dev.waybill.internal.loop.Next;
import dev.waybill.internal.loop.Relay;
import dev.waybill.internal.loop.Time;
import dev.waybill.internal.loop.Worker;
import dev.waybill.internal.sql.Database;
import dev.waybill.internal.store.FreightId;
import dev.waybill.internal.store.JobExpress;
import dev.waybill.internal.store.JobExpress.Front;
import dev.waybill.internal.store.JobFreightStore;
import dev.waybill.internal.store.JobLeaseStore;
import dev.waybill.internal.store.JobLeaseStore.Claim;
import dev.waybill.internal.store.JobLeaseStore.Lease;
import dev.waybill.job.JobOptions;
import dev.waybill.job.RetryPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Leases as many jobs as there are free slots, and has them run. Looks less and less often while
 * there is nothing, unless rung.
 */
final class JobClaimer implements Worker {
  private static final Logger log = LoggerFactory.getLogger(JobClaimer.class);

  /** So often in a row it looks again at once if others were faster, or held what waits. */
  private static final int MOST_LOST = 3;

  /** And then so often after a moment. */
  private static final int MOST_PAUSES = 20;

  private static final Duration PAUSE = Duration.ofMillis(50);

  /** For room for a freight. */
  private static final Duration PATIENCE = Duration.ofMillis(5);

  private final Database database;
  private final Optional<JobExpress> express;
  private final Time time;
  private final Crew crew;
  private final JobOptions options;
  private final Set<String> types;
  private final RunningJobs running;
  private final JobHeart heart;
  private final JobRunner runner;
  private final Relay<JobRun> relay;
  private final JobNews news;
  private final TenantRounds rounds = new TenantRounds();
  private boolean loaded;
  private boolean waiting;
  private long since;
  private Duration poll;
  private Duration untilToken;
  private boolean simple = true;
  private boolean drained = true;
  private volatile boolean unsure;
  private boolean contested;
  private int lost;
  private volatile boolean closed;

  JobClaimer(
      Database database,
      Time time,
      Crew crew,
      JobOptions options,
      Set<String> types,
      RunningJobs running,
      JobHeart heart,
      JobRunner runner,
      Relay<JobRun> relay,
      JobNews news) {
    this.database = database;
    this.express = JobExpress.of(database);
    this.time = time;
    this.crew = crew;
    this.options = options;
    this.types = types;
    this.running = running;
    this.heart = heart;
    this.runner = runner;
    this.relay = relay;
    this.news = news;
    this.poll = options.poll();
    this.untilToken = options.idlePoll();
  }

  @Override
  public String name() {
    return "job-claimer";
  }

  /** No further claims. */
  void close() {
    closed = true;
  }

  @Override
  public Next runOnce() {
    if (types.isEmpty() || closed) {
      return Next.whenRung();
    }
    if (unsure) {
      releaseWhatNobodyRuns();
    }
    int free = running.ahead().ask(options.batch(), !drained, running::free);
    if (free == 0) {
      return running.isFull() ? Next.whenRung(options.idlePoll()) : Next.now();
    }
    if (isWorthWaiting(free)) {
      running.ahead().answered();
      return Next.whenRung(PATIENCE);
    }
    List<Claim> claims;
    try {
      claims = claim(free);
    } finally {
      running.ahead().answered();
    }
    if (contested) {
      contested = false;
      return Next.now();
    }
    if (claims.isEmpty()) {
      Duration wait = min(poll, untilToken);
      if (lost > 0 && lost <= MOST_LOST + MOST_PAUSES) {
        return lost <= MOST_LOST ? Next.now() : Next.whenRung(min(wait, PAUSE));
      }
      poll = min(poll.multipliedBy(2), options.idlePoll());
      return Next.whenRung(wait);
    }
    poll = options.poll();
    if (running.isFull()) {
      return Next.whenRung(options.idlePoll());
    }
    return drained ? Next.whenRung(poll) : Next.now();
  }

  /**
   * Freights are taken whole. Where they come one after the other and handlers are quick, there is
   * room for one in a moment; else it is taken apart.
   */
  private boolean isWorthWaiting(int free) {
    boolean large = Math.min(options.batch(), options.concurrency()) >= FreightId.MOST_JOBS;
    if (!loaded || !large || free >= FreightId.MOST_JOBS) {
      waiting = false;
      return false;
    }
    if (!waiting) {
      waiting = true;
      since = time.nanos();
    }
    waiting =
        time.nanos() - since < Time.toNanos(PATIENCE) && running.isShortOf(FreightId.MOST_JOBS);
    return waiting;
  }

  private static Duration min(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }

  private List<Claim> claim(int free) {
    long asked = time.nanos();
    List<Claim> claims;
    try {
      claims = lease(free);
    } catch (DatabaseException e) {
      // Another claim took a permit first: nothing is wrong, and the next look sees it.
      if (e.kind() == Kind.DUPLICATE) {
        log.debug("A resource was claimed elsewhere at the same moment", e);
        contested = true;
        return List.of();
      }
      unsure = true;
      throw e;
    }
    claims.forEach(claim -> rounds.served(claim.tenant()));
    List<JobRun> runs = claims.stream().map(claim -> attempt(claim, asked)).toList();
    if (!runs.isEmpty()) {
      running.add(runs);
      stopIfClosed(runs);
      news.claimed(claims);
      prepareToRenew(runs);
      relay.add(runs);
    }
    return claims;
  }

  /** What could not be renewed is not begun. */
  private void prepareToRenew(List<JobRun> runs) {
    boolean prepared = false;
    try {
      heart.prepare();
      prepared = true;
    } finally {
      if (!prepared) {
        runs.forEach(runner::handBack);
      }
    }
  }

  /** Those that nobody could ask to stop, because they were not known yet. */
  void stopIfClosed(List<JobRun> added) {
    if (closed) {
      added.forEach(run -> run.stop(Stop.SHUTDOWN, time.nanos()));
    }
  }

  /** An attempt at a job that was leased by somebody who asked at this time. */
  JobRun attempt(Claim claim, long asked) {
    return new JobRun(claim, options.worker(), asked, options.lease(), this::aside);
  }

  /** Whether jobs of these types may begin here, if nobody else waits. */
  boolean takes(Set<String> wanted) {
    return !closed && !running.weighed().get() && types.containsAll(wanted);
  }

  /** Whose jobs are claimed. */
  Set<String> types() {
    return types;
  }

  /** There may be leases of ours that nobody here knows of. */
  void doubt() {
    unsure = true;
    running.changed().ring();
  }

  private List<Claim> lease(int free) {
    drained = false;
    untilToken = options.idlePoll();
    if (simple && express.isPresent()) {
      Optional<Front> front = claimFront(express.get(), free);
      if (front.isPresent()) {
        drained = front.get().drained();
        List<Claim> claims = front.get().claims();
        // Others took all that came first; behind it there is more.
        lost = claims.isEmpty() && !drained ? lost + 1 : 0;
        return claims;
      }
    }
    long given = running.given().get();
    ClaimPlan.Claimed claimed =
        database.transact(
            tx -> {
              JobLeaseStore store = JobLeaseStore.in(tx);
              ClaimPlan.Claimed locked =
                  new ClaimPlan(store, rounds, running.byTenant(), free).claim(types);
              if (!locked.claims().isEmpty()) {
                store.lease(locked.claims(), options.worker(), options.lease());
              }
              return locked;
            });
    simple = claimed.simple();
    running.weighed().set(!simple);
    if (!simple && running.given().get() != given) {
      // What ended meanwhile did not know that somebody may wait for it.
      running.changed().ring();
    }
    untilToken = claimed.untilToken().orElse(options.idlePoll());
    // A lock that somebody has for a moment is passed by: nobody will ring when it is gone.
    lost = claimed.claims().isEmpty() && claimed.waiting() ? lost + 1 : 0;
    return claimed.claims();
  }

  /** What is too large for the slots that are free, and comes first, is taken apart. */
  private Optional<Front> claimFront(JobExpress way, int free) {
    Optional<Front> front = way.claimFront(types, free, options.worker(), options.lease());
    boolean stuck = front.filter(Front::stuck).isPresent();
    if (stuck) {
      way.unloadFront(types, free);
      front = way.claimFront(types, free, options.worker(), options.lease());
    }
    loaded = front.filter(Front::freights).isPresent();
    return front;
  }

  /** A crew that is stopping takes nothing new, but handlers still want to hear of it. */
  private void aside(Runnable action) {
    if (!crew.run("job-canceled", action)) {
      action.run();
    }
  }

  /**
   * A commit whose answer was lost may have leased jobs that nobody here knows of. They are given
   * back, as if they had not been claimed; the fresh lease of each proves that nobody began.
   */
  private void releaseWhatNobodyRuns() {
    unsure = false;
    int released;
    try {
      released = release();
    } catch (RuntimeException | Error e) {
      unsure = true;
      throw e;
    }
    if (released > 0) {
      log.info("Released {} jobs that a commit with an unknown outcome had leased", released);
    }
  }

  private int release() {
    return database.transact(
        tx -> {
          JobFreightStore.in(tx).unloadOrphans(options.worker(), running::has);
          JobLeaseStore store = JobLeaseStore.in(tx);
          List<Lease> orphans =
              store.lockOwned(options.worker()).stream()
                  .filter(lease -> !running.has(lease.fence()))
                  .toList();
          if (!orphans.isEmpty()) {
            Verdict verdict = new Verdict(() -> 0);
            store.settle(
                orphans.stream()
                    .map(lease -> verdict.on(lease, Ending.released(), RetryPolicy.standard()))
                    .toList());
          }
          return orphans.size();
        });
  }
}
