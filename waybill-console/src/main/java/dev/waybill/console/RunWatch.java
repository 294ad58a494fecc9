package dev.waybill.console;

import dev.waybill.job.Scope;
import dev.waybill.workflow.StepInfo;
import dev.waybill.workflow.StepStatus;
import dev.waybill.workflow.WorkflowInfo;
import dev.waybill.workflow.WorkflowStatus;
import java.time.Instant;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Why runs failed, which their steps tell. Steps are not cheap, and a run that has failed does not
 * change until it is retried, so what was seen is remembered. Thread-safe.
 */
final class RunWatch {
  private static final int MOST_KEPT = 500;

  private final Sources sources;

  /** The one that was looked at longest ago comes first. */
  private final Map<End, Optional<Failure>> seen = new LinkedHashMap<>();

  /** A run that may fail again after a retry, but then later. */
  private record End(UUID run, @Nullable Instant at) {
    static End of(WorkflowInfo run) {
      return new End(run.id(), run.finishedAt());
    }
  }

  /**
   * Why a run failed.
   *
   * @param step that failed
   * @param why in its own words
   */
  record Failure(String step, String why) {}

  RunWatch(Sources sources) {
    this.sources = sources;
  }

  /** Asks for the reasons of those that are not known yet, of so many at most. */
  void learnFailures(List<WorkflowInfo> runs, int atMost) {
    runs.stream()
        .filter(run -> run.status() == WorkflowStatus.FAILED && !isKnown(run))
        .limit(atMost)
        .forEach(this::look);
  }

  private synchronized boolean isKnown(WorkflowInfo run) {
    return seen.containsKey(End.of(run));
  }

  private void look(WorkflowInfo run) {
    Optional<Failure> failure = failure(sources.workflowsOrRefuse().steps(Scope.admin(), run.id()));
    synchronized (this) {
      seen.put(End.of(run), failure);
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

  /** Why it failed, as far as is known. */
  synchronized Optional<Failure> failure(WorkflowInfo run) {
    return seen.getOrDefault(End.of(run), Optional.empty());
  }
}
