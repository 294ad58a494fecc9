package dev.waybill.internal.job;

import dev.waybill.DatabaseException;
import dev.waybill.DatabaseException.Kind;
import dev.waybill.internal.loop.Bell;
import dev.waybill.internal.loop.Next;
import dev.waybill.internal.loop.Worker;
import dev.waybill.internal.sql.Database;
import dev.waybill.internal.sql.Tx;
import dev.waybill.internal.store.JobExpress;
import dev.waybill.internal.store.JobExpress.Success;
import dev.waybill.internal.store.JobLeaseStore;
import dev.waybill.internal.store.JobLeaseStore.Fence;
import dev.waybill.internal.store.JobLeaseStore.Lease;
import dev.waybill.internal.store.JobLeaseStore.Settled;
import dev.waybill.job.AttemptOutcome;
import dev.waybill.job.JobResult.Completing;
import dev.waybill.job.JobStatus;
import dev.waybill.job.RetryPolicy;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes what became of attempts. Those that end while a transaction is on its way are settled
 * together in the next one: batches form under load and nobody waits for one. What fails for want
 * of a database is tried again while the leases live; the fence decides whether it still counts.
 */
final class JobSettler implements Worker {
  private static final Logger log = LoggerFactory.getLogger(JobSettler.class);

  /** How long to leave a run of a workflow to whoever holds it. */
  private static final Duration PAUSE = Duration.ofMillis(10);

  private record Ended(JobRun run, Ending ending) {
    /** The run of a workflow that this may change. */
    Optional<UUID> workflow() {
      boolean goesOn =
          ending.outcome() == AttemptOutcome.RELEASED
              || ending.outcome() == AttemptOutcome.CONTINUED;
      return goesOn ? Optional.empty() : Optional.ofNullable(run.claim().workflow());
    }

    /** Whether there is nothing to decide, and nothing of the user's to write. */
    boolean isPlainSuccess() {
      return ending.outcome() == AttemptOutcome.SUCCEEDED && ending.completing() == null;
    }

    boolean isStep() {
      return run.claim().workflow() != null;
    }
  }

  /**
   * What a transaction has done.
   *
   * @param settled what became of those whose fence held
   * @param waiting those whose workflow somebody else has locked
   */
  private record Written(List<Settled> settled, List<Ended> waiting) {}

  private final Database database;
  private final Optional<JobExpress> express;
  private final RetryPolicies policies;
  private final Verdict verdict;
  private final RunningJobs running;
  private final StepEnds steps;
  private final JobWakeups wakeups;
  private final JobNews news;
  private final int batch;
  private final Bell bell = new Bell();
  private final ConcurrentLinkedDeque<Ended> queue = new ConcurrentLinkedDeque<>();
  private final ConcurrentLinkedDeque<Ended> parked = new ConcurrentLinkedDeque<>();
  private final ReentrantLock writing = new ReentrantLock();
  private volatile boolean closed;

  JobSettler(
      Database database,
      RetryPolicies policies,
      Verdict verdict,
      RunningJobs running,
      StepEnds steps,
      JobWakeups wakeups,
      JobNews news,
      int batch) {
    this.database = database;
    this.express = JobExpress.of(database);
    this.policies = policies;
    this.verdict = verdict;
    this.running = running;
    this.steps = steps;
    this.wakeups = wakeups;
    this.news = news;
    this.batch = batch;
  }

  @Override
  public String name() {
    return "job-settler";
  }

  Bell bell() {
    return bell;
  }

  /** Has an attempt settled whose handler has ended. */
  void settle(JobRun run, Ending ending) {
    running.end(run);
    queue.add(new Ended(run, ending));
    if (closed) {
      flush();
    } else {
      bell.ring();
    }
  }

  /** From here on whoever ends an attempt settles it: the worker may have been stopped. */
  void close() {
    closed = true;
    flush();
  }

  /** Settles all that there is, once; what cannot be is left to the reaper of another process. */
  private void flush() {
    try {
      unpark();
      while (settleSome()) {
        // There may be more.
      }
    } catch (RuntimeException e) {
      log.warn("{} attempts could not be settled before the end", queue.size(), e);
    }
  }

  @Override
  public Next runOnce() {
    unpark();
    boolean some = settleSome();
    if (!parked.isEmpty()) {
      return queue.isEmpty() ? Next.whenRung(PAUSE) : Next.now();
    }
    return some ? Next.now() : Next.whenRung();
  }

  /** Those whose workflow was locked try again. */
  private void unpark() {
    for (Ended next = parked.poll(); next != null; next = parked.poll()) {
      queue.add(next);
    }
  }

  private boolean settleSome() {
    writing.lock();
    try {
      List<Ended> some = new ArrayList<>();
      for (Ended next = queue.poll();
          next != null;
          next = some.size() < batch ? queue.poll() : null) {
        some.add(next);
      }
      if (some.isEmpty()) {
        return false;
      }
      write(some);
      return true;
    } finally {
      writing.unlock();
    }
  }

  private void write(List<Ended> some) {
    List<Ended> open = new ArrayList<>(some);
    try {
      List<Ended> succeeded =
          express.isEmpty() ? List.of() : some.stream().filter(Ended::isPlainSuccess).toList();
      for (boolean steps : List.of(false, true)) {
        List<Ended> alike = succeeded.stream().filter(each -> each.isStep() == steps).toList();
        if (!alike.isEmpty()) {
          writeSuccesses(express.get(), alike, steps);
          open.removeAll(alike);
        }
      }
      List<Ended> plain = open.stream().filter(each -> each.ending().completing() == null).toList();
      if (!plain.isEmpty()) {
        writeTogether(plain);
        open.removeAll(plain);
      }
      for (Ended each : List.copyOf(open)) {
        writeAlone(each);
        open.remove(each);
      }
    } finally {
      // Those that could not be written come first when the database is back.
      for (int i = open.size() - 1; i >= 0; i--) {
        queue.addFirst(open.get(i));
      }
    }
  }

  /** Nobody has to be told of the end of a job that is no step: then one statement is enough. */
  private void writeSuccesses(JobExpress way, List<Ended> some, boolean areSteps) {
    writeOrSplit(
        some,
        () ->
            areSteps
                ? database.transact(tx -> succeedSteps(tx, way, some))
                : new Written(succeeded(some, way::succeed), List.of()));
  }

  private Written succeedSteps(Tx tx, JobExpress way, List<Ended> all) {
    Locked locked = lock(tx, all);
    if (!locked.open().isEmpty()) {
      List<Settled> settled = succeeded(locked.open(), some -> way.succeed(tx, some));
      locked.held().settled(settled);
      return new Written(settled, locked.waiting());
    }
    return new Written(List.of(), locked.waiting());
  }

  private List<Settled> succeeded(
      List<Ended> some, Function<List<Success>, List<Lease>> ownersAmong) {
    Map<Fence, Ended> byFence = new HashMap<>();
    some.forEach(each -> byFence.put(each.run().fence(), each));
    List<Settled> settled = new ArrayList<>();
    for (Lease lease : ownersAmong.apply(some.stream().map(JobSettler::success).toList())) {
      Ended ended = byFence.get(lease.fence());
      if (ended != null) {
        settled.add(verdict.on(lease, ended.ending(), RetryPolicy.standard()));
      }
    }
    return settled;
  }

  private static Success success(Ended ended) {
    return new Success(ended.run().fence(), ended.ending().output());
  }

  private void writeTogether(List<Ended> some) {
    writeOrSplit(some, () -> database.transact(tx -> settle(tx, some, null)));
  }

  private void writeOrSplit(List<Ended> some, Supplier<Written> together) {
    try {
      finished(some, together.get());
    } catch (DatabaseException e) {
      if (e.kind() == Kind.CONTENTION || e.kind() == Kind.DISCONNECTED) {
        throw e;
      }
      log.debug("A batch was refused; its attempts are settled one by one", e);
      some.forEach(this::writeAlone);
    }
  }

  /** An attempt that wants to write in the same transaction, or that spoils a batch. */
  private void writeAlone(Ended one) {
    try {
      finished(
          List.of(one),
          database.transact(tx -> settle(tx, List.of(one), one.ending().completing())));
    } catch (DatabaseException e) {
      if (e.kind() == Kind.CONTENTION || e.kind() == Kind.DISCONNECTED) {
        throw e;
      }
      refused(one, e);
    } catch (CompletingFailed e) {
      refused(one, e.getCause() == null ? e : e.getCause());
    }
  }

  /** What the attempt wants to have written cannot be: then the attempt has failed. */
  private void refused(Ended one, Throwable why) {
    log.warn("{}: its result could not be stored", one.run(), why);
    Ending instead = Ending.of(AttemptOutcome.RETRYABLE, "job.completion_refused", Wording.of(why));
    Ended failed = new Ended(one.run(), instead);
    try {
      finished(List.of(failed), database.transact(tx -> settle(tx, List.of(failed), null)));
    } catch (DatabaseException e) {
      if (e.kind() == Kind.CONTENTION || e.kind() == Kind.DISCONNECTED) {
        throw e;
      }
      log.error("{} cannot be settled; the reaper will find it", one.run(), e);
      running.remove(List.of(one.run()));
    }
  }

  private static final class CompletingFailed extends RuntimeException {
    private static final long serialVersionUID = 1L;

    CompletingFailed(Throwable cause) {
      super(cause);
    }
  }

  private Written settle(Tx tx, List<Ended> all, @Nullable Completing completing) {
    Locked locked = lock(tx, all);
    List<Ended> waiting = locked.waiting();
    Map<Fence, Ended> byFence = new HashMap<>();
    locked.open().forEach(each -> byFence.put(each.run().fence(), each));
    if (byFence.isEmpty()) {
      return new Written(List.of(), waiting);
    }
    JobLeaseStore store = JobLeaseStore.in(tx);
    List<Lease> live =
        store.lockForSettling(List.copyOf(byFence.keySet())).stream()
            .filter(Lease::isLive)
            .toList();
    if (live.isEmpty()) {
      return new Written(List.of(), waiting);
    }
    List<Settled> settled = new ArrayList<>();
    for (Lease lease : live) {
      Ended ended = byFence.get(lease.fence());
      if (ended != null) {
        settled.add(verdict.on(lease, ended.ending(), policies.of(tx, lease.type())));
      }
    }
    store.settle(settled);
    if (completing != null) {
      try {
        completing.write(tx.connection());
      } catch (SQLException e) {
        DatabaseException failure = tx.failure("Writing with a job's completion", e);
        throw failure.kind() == Kind.CONTENTION || failure.kind() == Kind.DISCONNECTED
            ? failure
            : new CompletingFailed(e);
      } catch (RuntimeException | Error e) {
        // An error too: what fails the same way each time must not be tried for ever.
        throw new CompletingFailed(e);
      }
    }
    // Last, so that steps that the completion appended are there.
    StepEnds.Held held =
        completing == null ? locked.held() : steps.lock(tx, locked.held().runs(), true);
    held.settled(settled);
    return new Written(settled, waiting);
  }

  /**
   * Whose runs could be locked.
   *
   * @param open those who can be settled: who has no run, too
   * @param waiting those whose run somebody else holds
   */
  private record Locked(StepEnds.Held held, List<Ended> open, List<Ended> waiting) {}

  /** Runs are locked before jobs; nobody waits for one. */
  private Locked lock(Tx tx, List<Ended> all) {
    Set<UUID> wanted = new HashSet<>();
    all.forEach(each -> each.workflow().ifPresent(wanted::add));
    if (wanted.isEmpty()) {
      return new Locked(StepEnds.Held.NOTHING, all, List.of());
    }
    StepEnds.Held held = steps.lock(tx, wanted, false);
    Set<UUID> runs = held.runs();
    Map<Boolean, List<Ended>> byLock =
        all.stream()
            .collect(
                Collectors.partitioningBy(
                    each -> each.workflow().filter(run -> !runs.contains(run)).isEmpty()));
    return new Locked(
        held, byLock.getOrDefault(true, List.of()), byLock.getOrDefault(false, List.of()));
  }

  private void finished(List<Ended> all, Written written) {
    List<Ended> some = all.stream().filter(each -> !written.waiting().contains(each)).toList();
    parked.addAll(written.waiting());
    if (running.parked().getAndSet(parked.size()) < parked.size()) {
      running.changed().ring();
    }
    Set<Fence> held = new HashSet<>();
    written.settled().forEach(each -> held.add(each.lease().fence()));
    for (Ended each : some) {
      if (!held.contains(each.run().fence())) {
        log.info(
            "{} ended as {}, but no longer owns its job: nothing was written",
            each.run(),
            each.ending().outcome());
        if (each.run().reason() == null) {
          news.leaseLost(each.run());
        }
      }
    }
    if (!some.isEmpty()) {
      running.remove(some.stream().map(Ended::run).toList());
    }
    news.ended(written.settled());
    if (written.settled().stream().anyMatch(each -> each.status() == JobStatus.SCHEDULED)) {
      wakeups.later();
    }
    if (written.settled().stream().anyMatch(each -> each.status() == JobStatus.PENDING)) {
      running.changed().ring();
    }
    if (some.stream().anyMatch(each -> each.workflow().isPresent())) {
      // Steps may have followed that only another process can run.
      wakeups.ready();
    }
  }
}
