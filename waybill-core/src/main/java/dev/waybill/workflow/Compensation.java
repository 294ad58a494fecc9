package dev.waybill.workflow;

import dev.waybill.job.Scope;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.UUID;

/**
 * An order to undo what a run that has ended did: a new run with one job for each of these steps
 * that succeeded, one after the other, the last to succeed first. Steps that did not succeed have
 * nothing to undo. A map step is undone element by element, also if it failed because some of them
 * did. Each job gets the JSON object {@code {"step", "payload", "output"}} of the step it undoes.
 * If one fails for good those behind it do not run; {@link Workflows#retry} goes on there.
 *
 * <p>A run is compensated once: the same order again finds the first, another one is a conflict.
 *
 * @param scope whose run it is
 * @param source the run that has ended
 * @param reason for the record
 * @param undo for each step, the type of the job that undoes it
 */
public record Compensation(Scope scope, UUID source, String reason, Map<String, String> undo) {
  private static final int LONGEST = 400;

  /** By this attribute of the new run, its value being the id of the old one, it can be found. */
  public static final String ATTRIBUTE = "waybill.compensates";

  public Compensation {
    Objects.requireNonNull(scope, "scope");
    Objects.requireNonNull(source, "source");
    undo = Map.copyOf(undo);
    if (reason.isBlank() || reason.length() > LONGEST) {
      throw new WorkflowException.InvalidArgument(
          "workflow.compensation_reason",
          "The reason of a compensation must have 1 to 400 characters.");
    }
    if (undo.isEmpty()) {
      throw new WorkflowException.InvalidArgument(
          "workflow.compensation_empty",
          "A compensation must say for at least one step which job undoes it.");
    }
    Problems.inAppended(
            new TreeMap<>(undo)
                .entrySet().stream()
                    .map(each -> Step.job(each.getKey(), each.getValue()).build())
                    .toList())
        .throwIfAny("The compensation of run " + source);
  }

  /** Begins an order; say what undoes what and build it. */
  public static Builder of(Scope scope, UUID source, String reason) {
    return new Builder(scope, source, reason);
  }

  /** Gathers what undoes what. For one thread. */
  public static final class Builder {
    private final Scope scope;
    private final UUID source;
    private final String reason;
    private final Map<String, String> undo = new TreeMap<>();

    private Builder(Scope scope, UUID source, String reason) {
      this.scope = scope;
      this.source = source;
      this.reason = reason;
    }

    /** A job of this type undoes that step. */
    public Builder undo(String step, String jobType) {
      undo.put(step, jobType);
      return this;
    }

    /**
     * The order.
     *
     * @throws WorkflowException.InvalidArgument if it says nothing
     * @throws WorkflowException.InvalidWorkflow if names are none
     */
    public Compensation build() {
      return new Compensation(scope, source, reason, undo);
    }
  }
}
