package dev.waybill.workflow;

import dev.waybill.job.Scope;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.UUID;

/**
 * Steps to add to a run that has not ended. They may wait for steps that are there, in whatever
 * state, and for each other; steps that are there never wait for new ones.
 *
 * @param scope whose run it is
 * @param run the run
 * @param key stands for this request for good: a repetition changes nothing, also after the run has
 *     ended
 * @param steps what to add
 */
public record Append(Scope scope, UUID run, String key, List<Step> steps) {
  /** What became of a request. */
  public enum Outcome {
    APPENDED,
    /** The same steps were appended with this key before; nothing was changed. */
    ALREADY
  }

  public Append {
    Objects.requireNonNull(scope, "scope");
    Objects.requireNonNull(run, "run");
    steps = List.copyOf(steps);
    if (key.isBlank() || key.length() > 500) {
      throw new WorkflowException.InvalidArgument(
          "workflow.append_key", "The key of an appending must have 1 to 500 characters.");
    }
    Problems.inAppended(steps).throwIfAny("Steps appended to run " + run);
  }

  /** Begins a request; say which steps and build it. */
  public static Builder to(Scope scope, UUID run, String key) {
    return new Builder(scope, run, key);
  }

  /** Gathers steps. For one thread. */
  public static final class Builder {
    private final Scope scope;
    private final UUID run;
    private final String key;
    private final List<Step> steps = new ArrayList<>();

    private Builder(Scope scope, UUID run, String key) {
      this.scope = scope;
      this.run = run;
      this.key = key;
    }

    /** Adds a step. */
    public Builder step(Step.Builder step) {
      steps.add(step.build());
      return this;
    }

    /** Adds steps. */
    public Builder steps(Collection<Step> more) {
      steps.addAll(more);
      return this;
    }

    /**
     * The request.
     *
     * @throws WorkflowException.InvalidWorkflow with all that is wrong with the steps themselves
     */
    public Append build() {
      return new Append(scope, run, key, steps);
    }
  }
}
