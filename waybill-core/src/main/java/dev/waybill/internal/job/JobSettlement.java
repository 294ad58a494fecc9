package dev.waybill.internal.job;

import dev.waybill.DatabaseException;
import dev.waybill.DatabaseException.Kind;
import dev.waybill.internal.sql.Database;
import dev.waybill.internal.sql.Endings;
import dev.waybill.internal.sql.GuardedConnection;
import dev.waybill.internal.sql.Tx;
import dev.waybill.internal.store.FreightId;
import dev.waybill.internal.store.JobExpress;
import dev.waybill.internal.store.JobExpress.Success;
import dev.waybill.internal.store.JobLeaseStore;
import dev.waybill.internal.store.JobLeaseStore.Fence;
import dev.waybill.internal.store.JobLeaseStore.Lease;
import dev.waybill.internal.store.JobLeaseStore.Settled;
import dev.waybill.job.AttemptOutcome;
import dev.waybill.job.JobResult.Completing;
import dev.waybill.job.RetryPolicy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Writes in one transaction what became of a batch of attempts: runs of workflows are locked before
 * jobs, each job's fence is looked at under its lock, and whoever waits for an end is told of it.
 */
final class JobSettlement {
  /** An attempt whose handler has ended. */
  record Ended(JobRun run, Ending ending) {
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

    /** Whether its job may be in a freight, and can end there. */
    boolean mayEndAboard() {
      return isPlainSuccess() && ending.output() == null && FreightId.mayBeAboard(run.fence().id());
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
   * @param timers whether something that follows begins or ends at some time
   */
  record Written(List<Settled> settled, List<Ended> waiting, boolean timers) {
    Written(List<Settled> settled, List<Ended> waiting) {
      this(settled, waiting, false);
    }
  }

  private final Database database;
  private final Optional<JobExpress> express;
  private final RetryPolicies policies;
  private final Verdict verdict;
  private final StepEnds steps;
  private final Endings endings;

  JobSettlement(
      Database database, RetryPolicies policies, Verdict verdict, StepEnds steps, Endings endings) {
    this.database = database;
    this.express = JobExpress.of(database);
    this.policies = policies;
    this.verdict = verdict;
    this.steps = steps;
    this.endings = endings;
  }

  /** Whether attempts that succeeded, and have nothing to write, can go the short way. */
  boolean isShort() {
    return express.isPresent();
  }

  /** Nobody has to be told of the end of a job that is no step: then one statement is enough. */
  Written succeed(List<Ended> some, boolean areSteps) {
    JobExpress way = express.orElseThrow();
    return areSteps
        ? database.transact(tx -> succeedSteps(tx, way, some))
        : new Written(succeeded(some, way::succeed), List.of());
  }

  /** What of these is in freights still. Those of which nothing is told may be rows by now. */
  Written succeedAboard(List<Ended> some) {
    JobExpress way = express.orElseThrow();
    return new Written(
        succeeded(some, all -> way.succeedAboard(all.stream().map(Success::fence).toList())),
        List.of());
  }

  private Written succeedSteps(Tx tx, JobExpress way, List<Ended> all) {
    Locked locked = lock(tx, all);
    if (!locked.open().isEmpty()) {
      List<Settled> settled = succeeded(locked.open(), some -> way.succeed(tx, some));
      locked.held().settled(settled);
      return new Written(settled, locked.waiting(), locked.held().setTimers());
    }
    return new Written(List.of(), locked.waiting());
  }

  private List<Settled> succeeded(
      List<Ended> some, Function<List<Success>, List<Lease>> ownersAmong) {
    Map<Fence, Ended> byFence = new HashMap<>();
    some.forEach(each -> byFence.put(each.run().fence(), each));
    List<Settled> settled = new ArrayList<>();
    for (Lease lease : ownersAmong.apply(some.stream().map(JobSettlement::success).toList())) {
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

  /** Settles these in one transaction, in which this is written, too. */
  Written settle(List<Ended> all, @Nullable Completing completing) {
    Deque<Endings.Ending> tries = new ArrayDeque<>();
    try {
      Written written =
          database.transact(
              tx -> {
                tries.push(new Endings.Ending());
                return settle(tx, all, completing, tries.element());
              });
      // Whoever enqueued something there has no moment after the commit to say so.
      tries.pop().committed();
      return written;
    } finally {
      tries.forEach(each -> each.failed(true));
    }
  }

  private Written settle(
      Tx tx, List<Ended> all, @Nullable Completing completing, Endings.Ending ending) {
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
      Connection own = GuardedConnection.of(tx.connection());
      endings.begin(own, ending);
      try {
        completing.write(own);
      } catch (SQLException e) {
        throw unlessItPasses(tx.failure("Writing with a job's completion", e), e);
      } catch (DatabaseException e) {
        throw unlessItPasses(e, e);
      } catch (RuntimeException | Error e) {
        // An error too: what fails the same way each time must not be tried for ever.
        throw new CompletingFailed(e);
      } finally {
        endings.workDone(own);
      }
    }
    // Last, so that steps that the completion appended are there.
    StepEnds.Held held =
        completing == null ? locked.held() : steps.lock(tx, locked.held().runs(), true);
    held.settled(settled);
    return new Written(settled, waiting, held.setTimers());
  }

  /** What may succeed later is tried again, and all of it; else the attempt has failed. */
  private static RuntimeException unlessItPasses(DatabaseException failure, Exception thrown) {
    return failure.kind() == Kind.CONTENTION || failure.kind() == Kind.DISCONNECTED
        ? failure
        : new CompletingFailed(thrown);
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

  /** What the user's code wanted to write with the completion cannot be. */
  static final class CompletingFailed extends RuntimeException {
    private static final long serialVersionUID = 1L;

    CompletingFailed(Throwable cause) {
      // Not the cause's own message, which may be an exception.
      super("Writing with a job's completion failed", cause);
    }
  }
}
