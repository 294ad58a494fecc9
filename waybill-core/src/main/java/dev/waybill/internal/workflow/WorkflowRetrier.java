package dev.waybill.internal.workflow;

import dev.waybill.DatabaseException;
import dev.waybill.internal.job.JobIds;
import dev.waybill.internal.job.Wording;
import dev.waybill.internal.sql.Tx;
import dev.waybill.internal.store.JobHistoryStore;
import dev.waybill.internal.store.StepState;
import dev.waybill.internal.store.WorkflowChildStore;
import dev.waybill.internal.store.WorkflowChildStore.Child;
import dev.waybill.internal.store.WorkflowRetryStore;
import dev.waybill.internal.store.WorkflowRetryStore.EndedStep;
import dev.waybill.internal.store.WorkflowRetryStore.Reset;
import dev.waybill.internal.store.WorkflowRunStore.LockedRun;
import dev.waybill.internal.store.WorkflowStore;
import dev.waybill.job.JobEvent;
import dev.waybill.job.Scope;
import dev.waybill.workflow.Step;
import dev.waybill.workflow.WorkflowException.InvalidArgument;
import dev.waybill.workflow.WorkflowException.InvalidState;
import dev.waybill.workflow.WorkflowStatus;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Begins a failed or canceled run again where it failed: what succeeded stays, everything else is
 * decided anew. Jobs that there are get a new run with their attempts anew.
 */
final class WorkflowRetrier {
  private final JobIds ids;

  WorkflowRetrier(JobIds ids) {
    this.ids = ids;
  }

  void retry(Tx tx, Scope scope, UUID id, String reason) {
    if (reason.isBlank()) {
      throw new InvalidArgument("workflow.retry_reason", "Say why the workflow is tried again.");
    }
    LockedRun run = Runs.lock(tx, scope, id);
    if (run.status() != WorkflowStatus.FAILED && run.status() != WorkflowStatus.CANCELED) {
      throw new InvalidState(
          "workflow.retry_status",
          "Run " + id + " is " + run.status() + ": only failed and canceled runs are tried again.");
    }
    WorkflowRetryStore store = WorkflowRetryStore.in(tx);
    Map<UUID, Redo> again = new LinkedHashMap<>();
    Map<UUID, EndedStep> all = new LinkedHashMap<>();
    store.steps(id).forEach(step -> all.put(step.id(), step));
    Undone.of(tx, id, all.values(), step -> true).refuse("Rerun all of it instead.");
    for (EndedStep step : all.values()) {
      if (step.state() != StepState.SUCCEEDED) {
        refuseIfBusy(run, step);
        again.put(step.id(), new Redo(step));
      }
    }
    Redo.decide(store.edges(id), all, again);
    write(tx, run, again, Wording.code(reason));
  }

  static void refuseIfBusy(LockedRun run, EndedStep step) {
    Instant busyUntil = step.leaseUntil();
    if (busyUntil != null && busyUntil.isAfter(run.now())) {
      throw new InvalidState(
          "workflow.not_quiesced",
          "Run "
              + run.id()
              + " was canceled while a handler was at it, which may go on until "
              + busyUntil
              + ". Try again then.");
    }
  }

  private void write(Tx tx, LockedRun run, Map<UUID, Redo> again, String reason) {
    List<Reset> resets = new ArrayList<>();
    List<UUID> requeued = new ArrayList<>();
    List<UUID> enqueued = new ArrayList<>();
    List<EndedStep> turns = new ArrayList<>();
    int open = 0;
    int active = 0;
    for (Redo step : again.values()) {
      boolean released = step.state() == StepState.RELEASED;
      open += step.state().isTerminal() ? 0 : 1;
      active += released ? 1 : 0;
      if (released && step.step().kind() == Step.Kind.JOB) {
        (step.step().hasJob() ? requeued : enqueued).add(step.step().id());
      }
      if (step.isToBegin()) {
        turns.add(step.step());
      }
      resets.add(reset(run.now(), step));
    }
    WorkflowRetryStore store = WorkflowRetryStore.in(tx);
    String hash = activeHash(tx, run);
    store.reset(resets);
    store.requeue(requeued, reason);
    JobHistoryStore.in(tx).eventOfAll(requeued, JobEvent.Kind.REQUEUED, reason);
    WorkflowStore.in(tx).enqueue(enqueued);
    WorkflowStatus status = active > 0 ? WorkflowStatus.RUNNING : WorkflowStatus.WAITING;
    try {
      store.reopen(run.id(), status, open, active, hash);
    } catch (DatabaseException e) {
      if (e.kind() == DatabaseException.Kind.DUPLICATE) {
        throw keyTaken(run, "another run");
      }
      throw e;
    }
    begin(tx, run, turns, reason);
  }

  /** Runs that steps started go on where they failed, unless they do already; others begin. */
  private void begin(Tx tx, LockedRun run, List<EndedStep> turns, String reason) {
    Map<String, Child> children = new HashMap<>();
    if (turns.stream().anyMatch(step -> step.kind() == Step.Kind.WORKFLOW)) {
      for (Child child : WorkflowChildStore.in(tx).children(List.of(run.id()))) {
        children.put(child.step(), child);
      }
    }
    List<UUID> anew = new ArrayList<>();
    for (EndedStep step : turns) {
      Child child = children.get(step.key());
      if (child == null) {
        anew.add(step.id());
      } else if (child.status() == WorkflowStatus.SUCCEEDED) {
        WorkflowChildStore.in(tx).tellAgain(child.id());
      } else if (child.status().isTerminal()) {
        retry(tx, Scope.admin(), child.id(), reason);
      }
    }
    Runs.begin(tx, ids, run.id(), anew);
  }

  private static Reset reset(Instant now, Redo step) {
    boolean open = step.state() == StepState.RELEASED || step.state() == StepState.WAITING;
    EndedStep before = step.step();
    Long timer =
        open
            ? Avalanche.timer(before.kind(), before.delay(), before.deadline(), before.remind())
            : null;
    return new Reset(
        before.id(),
        step.state(),
        step.pending(),
        step.satisfied(),
        open ? now : null,
        step.state().isTerminal() ? now : null,
        timer == null ? null : now.plus(timer, ChronoUnit.MICROS),
        step.state() == StepState.SKIPPED ? "workflow.dependency_unsatisfied" : null);
  }

  /** The run wants its active key back. */
  private static @Nullable String activeHash(Tx tx, LockedRun run) {
    String key = run.activeKey();
    if (key == null) {
      return null;
    }
    String hash = WorkflowStarter.activeHash(run.tenant(), key);
    WorkflowStore store = WorkflowStore.in(tx);
    boolean isIts = store.look(hash).filter(run.id()::equals).isPresent();
    Optional<UUID> other = isIts ? Optional.empty() : store.holder(hash);
    if (other.isPresent()) {
      throw keyTaken(run, "run " + other.get());
    }
    return hash;
  }

  private static InvalidState keyTaken(LockedRun run, String by) {
    return new InvalidState(
        "workflow.active_key_taken",
        "Run " + run.id() + " cannot go on: " + by + " has its active key now.");
  }
}
