package dev.waybill.workflow;

import dev.waybill.job.Scope;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A wish that a graph of steps be run: valid by construction.
 *
 * @param type what kind of workflow it is, for people and filters
 * @param scope whose it is: global or a tenant's
 * @param input JSON that every step can read
 * @param idempotencyKey stands for this request for good: a repetition finds the first run
 * @param activeKey at most one run with this key is active at a time
 * @param resultStep the step whose output is the run's result
 * @param attributes names and values by which the run can be found
 * @param steps the graph
 */
public record Workflow(
    String type,
    Scope scope,
    String input,
    @Nullable String idempotencyKey,
    @Nullable String activeKey,
    @Nullable String resultStep,
    Map<String, String> attributes,
    List<Step> steps) {
  /** How many steps a workflow may have, appended ones and those of workflows in it included. */
  public static final int MAX_STEPS = 10_000;

  /** How many workflows may be in each other, the outermost included. */
  public static final int MAX_DEPTH = 5;

  /** How many edges a workflow may have, appended ones included. */
  public static final int MAX_EDGES = 100_000;

  public Workflow {
    attributes = Map.copyOf(attributes);
    steps = List.copyOf(steps);
    Problems.in(type, scope, idempotencyKey, activeKey, resultStep, attributes, steps)
        .throwIfAny("The workflow " + Problems.quoted(type));
  }

  /** A global workflow of this type; say more and build it. */
  public static Builder of(String type) {
    return new Builder(type);
  }

  /** Gathers what a workflow says. For one thread. */
  public static final class Builder {
    private final String type;
    private final List<Step> steps = new ArrayList<>();
    private final Map<String, String> attributes = new TreeMap<>();
    private Scope scope = Scope.global();
    private String input = "{}";
    private @Nullable String idempotencyKey;
    private @Nullable String activeKey;
    private @Nullable String resultStep;

    private Builder(String type) {
      this.type = Objects.requireNonNull(type, "type");
    }

    /** Whose it is. Its jobs are in the same scope. */
    public Builder scope(Scope value) {
      scope = Objects.requireNonNull(value, "scope");
      return this;
    }

    /** JSON that every step can read. Default: an empty object. */
    public Builder input(String json) {
      input = Objects.requireNonNull(json, "input");
      return this;
    }

    /** Stands for this request for good: a repetition finds the first run. */
    public Builder idempotencyKey(String value) {
      idempotencyKey = value;
      return this;
    }

    /** At most one run with this key, of whatever type in this scope, is active at a time. */
    public Builder activeKey(String value) {
      activeKey = value;
      return this;
    }

    /** The step whose output is the run's result. */
    public Builder resultStep(String key) {
      resultStep = key;
      return this;
    }

    /** A name and a value by which the run can be found. */
    public Builder attribute(String name, String value) {
      attributes.put(name, value);
      return this;
    }

    /** Adds a step. */
    public Builder step(Step step) {
      steps.add(Objects.requireNonNull(step, "step"));
      return this;
    }

    /** Adds a step. */
    public Builder step(Step.Builder step) {
      return step(step.build());
    }

    /** Adds steps. */
    public Builder steps(Collection<Step> more) {
      steps.addAll(more);
      return this;
    }

    /**
     * The workflow.
     *
     * @throws WorkflowException.InvalidWorkflow with all that is wrong with it
     */
    public Workflow build() {
      return new Workflow(
          type, scope, input, idempotencyKey, activeKey, resultStep, attributes, steps);
    }
  }
}
