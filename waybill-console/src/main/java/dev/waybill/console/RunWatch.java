package dev.waybill.console;

import dev.waybill.job.Scope;
import dev.waybill.workflow.Step;
import dev.waybill.workflow.StepInfo;
import dev.waybill.workflow.StepStatus;
import dev.waybill.workflow.WorkflowInfo;
import dev.waybill.workflow.WorkflowStatus;
import dev.waybill.workflow.Workflows;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What the steps of runs tell: at which gates they wait, and why they failed. Steps are not cheap,
 * so what was seen is remembered: of a failed run until it is retried, of an open one for a while.
 * Thread-safe.
 */
final class RunWatch {
  /** So many open runs are looked at; each costs three cheap queries. */
  static final int MOST_OPEN = 10;

  private static final int MOST_FAILED = 20;
  private static final int MOST_KEPT = 500;

  private final Sources sources;
  private final long maxAgeNanos;
  private final LongSupplier nanos;

  /** The one that was looked at longest ago comes first. */
  private final Map<UUID, Seen> seen = new LinkedHashMap<>();

  /**
   * What was seen of a run.
   *
   * @param run as it was then
   * @param gates that wait
   * @param failure why it failed
   */
  private record Seen(
      WorkflowInfo run, List<Gate> gates, Optional<Failure> failure, long lookedAt) {}

  /** A gate that waits for somebody. */
  record Gate(WorkflowInfo run, StepInfo step) {}

  /**
   * Why a run failed.
   *
   * @param step that failed
   * @param why in its own words
   */
  record Failure(String step, String why) {}

  RunWatch(Sources sources, Duration maxAge, LongSupplier nanos) {
    this.sources = sources;
    this.maxAgeNanos = maxAge.toNanos();
    this.nanos = nanos;
  }

  /** Looks at one of those that need it most; at none if all that matter are known and young. */
  void lookAtOne(List<WorkflowInfo> runs) {
    List<WorkflowInfo> candidates = new ArrayList<>(failed(runs));
    candidates.addAll(open(runs));
    candidates.stream()
        .filter(this::isDue)
        .min(Comparator.comparingLong(this::lastLook))
        .ifPresent(this::look);
  }

  private static List<WorkflowInfo> failed(List<WorkflowInfo> runs) {
    return runs.stream()
        .filter(run -> run.status() == WorkflowStatus.FAILED)
        .limit(MOST_FAILED)
        .toList();
  }

  /** Those in which nothing else goes on first, then the oldest: gates are likely there. */
  private static List<WorkflowInfo> open(List<WorkflowInfo> runs) {
    return runs.stream()
        .filter(run -> !run.status().isTerminal())
        .sorted(
            Comparator.comparing((WorkflowInfo run) -> run.status() != WorkflowStatus.WAITING)
                .thenComparing(WorkflowInfo::createdAt))
        .limit(MOST_OPEN)
        .toList();
  }

  private synchronized boolean isDue(WorkflowInfo run) {
    Seen known = seen.get(run.id());
    if (known == null || known.run().status() != run.status()) {
      return true;
    }
    return !run.status().isTerminal() && nanos.getAsLong() - known.lookedAt() >= maxAgeNanos;
  }

  private synchronized long lastLook(WorkflowInfo run) {
    Seen known = seen.get(run.id());
    return known == null || known.run().status() != run.status()
        ? Long.MIN_VALUE
        : known.lookedAt();
  }

  private void look(WorkflowInfo run) {
    Workflows workflows = sources.workflowsOrRefuse();
    List<StepInfo> steps = workflows.steps(Scope.admin(), run.id());
    List<Gate> gates =
        steps.stream()
            .filter(step -> step.kind() == Step.Kind.GATE && step.status() == StepStatus.WAITING)
            .map(step -> new Gate(run, step))
            .toList();
    Optional<Failure> failure =
        run.status() == WorkflowStatus.FAILED ? failure(steps) : Optional.empty();
    synchronized (this) {
      seen.remove(run.id());
      seen.put(run.id(), new Seen(run, gates, failure, nanos.getAsLong()));
      if (seen.size() > MOST_KEPT) {
        seen.remove(seen.keySet().iterator().next());
      }
    }
  }

  /** Of the steps that ended the run, the first that says why. */
  private static Optional<Failure> failure(List<StepInfo> steps) {
    return steps.stream()
        .filter(step -> !step.mayFail())
        .filter(step -> step.status() == StepStatus.FAILED || step.status() == StepStatus.CANCELED)
        .min(
            Comparator.comparing((StepInfo step) -> step.status() != StepStatus.FAILED)
                .thenComparing(step -> why(step) == null))
        .map(
            step -> {
              String why = why(step);
              return new Failure(step.key(), why == null ? "It does not say why." : why);
            });
  }

  private static @Nullable String why(StepInfo step) {
    return step.errorMessage() == null ? step.reason() : step.errorMessage();
  }

  /** Asks for the reasons of those that are not known yet, of so many at most. */
  void learnFailures(List<WorkflowInfo> runs, int atMost) {
    runs.stream()
        .filter(run -> run.status() == WorkflowStatus.FAILED && isDue(run))
        .limit(atMost)
        .forEach(this::look);
  }

  /** Why it failed, as far as is known. */
  synchronized Optional<Failure> failure(WorkflowInfo run) {
    return known(run).flatMap(Seen::failure);
  }

  /** Looks at open runs that were not looked at for a while, and tells their gates. */
  List<Gate> lookForGates(List<WorkflowInfo> runs) {
    open(runs).stream().filter(this::isDue).forEach(this::look);
    return gates(runs);
  }

  /** Gates that wait, as far as is known; none of a run that has changed its status since. */
  synchronized List<Gate> gates(List<WorkflowInfo> runs) {
    return open(runs).stream()
        .map(this::known)
        .flatMap(Optional::stream)
        .flatMap(known -> known.gates().stream())
        .toList();
  }

  private synchronized Optional<Seen> known(WorkflowInfo run) {
    return Optional.ofNullable(seen.get(run.id()))
        .filter(known -> known.run().status() == run.status());
  }

  /** Something was changed: open runs are looked at again. */
  synchronized void hurry() {
    seen.values().removeIf(known -> !known.run().status().isTerminal());
  }
}
