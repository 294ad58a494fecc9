package dev.waybill.workflow;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A node of the graph: a job, a gate that somebody outside completes, a delay, a map, which is a
 * job for each element of an array that is known only at run time, or a run of another workflow.
 * Nothing is checked here; {@link Workflow.Builder#build} tells everything that is wrong at once.
 *
 * @param key its name in the workflow
 * @param kind what it is
 * @param type of a job: which handler
 * @param payload JSON: of a job for its handler, of a gate for whoever completes it
 * @param priority of a job; null for what the definition says
 * @param maxAttempts of a job; null for what the definition says
 * @param timeout of a job's attempt; null for what the definition says
 * @param stage of a job: a word for people
 * @param resourceKey of a job: jobs with the same key never run at the same time
 * @param delay how long it is held back, once its prerequisites are satisfied
 * @param after its prerequisites
 * @param atLeast how many of them must be satisfied; null for all
 * @param mayFail whether the run can succeed although it failed or was canceled
 * @param gate what is special about a gate; null for others
 * @param over what a map is over, or where the input of a sub-workflow comes from; null for others
 * @param workflow what a sub-workflow runs; null for others
 */
public record Step(
    String key,
    Kind kind,
    @Nullable String type,
    String payload,
    @Nullable Integer priority,
    @Nullable Integer maxAttempts,
    @Nullable Duration timeout,
    String stage,
    @Nullable String resourceKey,
    @Nullable Duration delay,
    List<Dependency> after,
    @Nullable Integer atLeast,
    boolean mayFail,
    @Nullable Gate gate,
    @Nullable Over over,
    @Nullable Workflow workflow) {
  /** What a step is. */
  public enum Kind {
    JOB,
    GATE,
    DELAY,
    MAP,
    WORKFLOW
  }

  /**
   * What is special about a gate.
   *
   * @param token the secret that whoever completes it must know; null if none. Only its digest is
   *     stored.
   * @param deadline how long after it opened it fails by itself; null for never
   * @param remindAfter how long after it opened somebody is reminded; null for never
   * @param remindType the type of the job that reminds
   */
  public record Gate(
      @Nullable String token,
      @Nullable Duration deadline,
      @Nullable Duration remindAfter,
      @Nullable String remindType) {
    @Override
    public String toString() {
      return "Gate[deadline=" + deadline + ", remindAfter=" + remindAfter + "]";
    }
  }

  /**
   * What a map is over, or where the input of a sub-workflow comes from.
   *
   * @param step the prerequisite whose output has it
   * @param pointer where it is: a JSON pointer such as {@code /items}; empty for all of the output
   */
  public record Over(String step, String pointer) {
    public Over {
      Objects.requireNonNull(step, "step");
      Objects.requireNonNull(pointer, "pointer");
    }
  }

  public Step {
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(payload, "payload");
    Objects.requireNonNull(stage, "stage");
    after = List.copyOf(after);
  }

  /** A job of this type. */
  public static Builder job(String key, String type) {
    return new Builder(key, Kind.JOB, type);
  }

  /** A gate: it opens when its prerequisites are satisfied, and somebody completes it. */
  public static Builder gate(String key) {
    return new Builder(key, Kind.GATE, null);
  }

  /** Succeeds by itself, so long after its prerequisites are satisfied. */
  public static Builder delay(String key, Duration delay) {
    return new Builder(key, Kind.DELAY, null).delay(delay);
  }

  /**
   * A job of this type for each element of an array in the output of a prerequisite; say which with
   * {@link Builder#over}. Each element is the payload of its job, and a step of its own with a key
   * such as {@code pick[0]}. The map succeeds when all of them have, and its output is the array of
   * their outputs in the same order. What is said about the job is said about each of them.
   */
  public static Builder map(String key, String type) {
    return new Builder(key, Kind.MAP, type);
  }

  /**
   * A run of another workflow, which starts when its prerequisites are satisfied. The step ends
   * when that run does: it succeeds with the run's result, or fails or is canceled like it. The run
   * is in the scope of its parent and has no keys.
   */
  public static Builder workflow(String key, Workflow workflow) {
    Builder builder = new Builder(key, Kind.WORKFLOW, null);
    builder.workflow = Objects.requireNonNull(workflow, "workflow");
    return builder;
  }

  /** Gathers what a step says. For one thread. */
  public static final class Builder {
    private final String key;
    private final Kind kind;
    private final @Nullable String type;
    private final List<Dependency> after = new ArrayList<>();
    private String payload = "{}";
    private @Nullable Integer priority;
    private @Nullable Integer maxAttempts;
    private @Nullable Duration timeout;
    private String stage = "queued";
    private @Nullable String resourceKey;
    private @Nullable Duration delay;
    private @Nullable Integer atLeast;
    private boolean mayFail;
    private @Nullable String token;
    private @Nullable Duration deadline;
    private @Nullable Duration remindAfter;
    private @Nullable String remindType;
    private @Nullable Over over;
    private @Nullable Workflow workflow;

    private Builder(String key, Kind kind, @Nullable String type) {
      this.key = Objects.requireNonNull(key, "key");
      this.kind = kind;
      this.type = type;
    }

    /** JSON for the handler, or for whoever completes the gate. Default: an empty object. */
    public Builder payload(String json) {
      payload = Objects.requireNonNull(json, "payload");
      return this;
    }

    /** Larger is claimed earlier. */
    public Builder priority(int value) {
      priority = value;
      return this;
    }

    /** How often a run of the job is tried. */
    public Builder maxAttempts(int value) {
      maxAttempts = value;
      return this;
    }

    /** How long an attempt may take. */
    public Builder timeout(Duration value) {
      timeout = value;
      return this;
    }

    /** A word for people. */
    public Builder stage(String value) {
      stage = Objects.requireNonNull(value, "stage");
      return this;
    }

    /** Jobs with the same key never run at the same time, in whichever workflow. */
    public Builder resourceKey(String value) {
      resourceKey = value;
      return this;
    }

    /** Holds the job back for so long, once its prerequisites are satisfied. */
    public Builder delay(Duration value) {
      delay = value;
      return this;
    }

    /** After the successes of these. */
    public Builder after(String... steps) {
      for (String step : steps) {
        after.add(Dependency.onSuccess(step));
      }
      return this;
    }

    /** After the success of this, if its output is so. */
    public Builder after(String step, Condition condition) {
      after.add(Dependency.onSuccess(step, condition));
      return this;
    }

    /** After the ends of these, whatever they are. */
    public Builder afterEnd(String... steps) {
      for (String step : steps) {
        after.add(Dependency.onTerminal(step));
      }
      return this;
    }

    /** After this. */
    public Builder after(Dependency dependency) {
      after.add(dependency);
      return this;
    }

    /** As soon as one prerequisite is satisfied. */
    public Builder any() {
      return atLeast(1);
    }

    /** As soon as so many prerequisites are satisfied. Default: all. */
    public Builder atLeast(int count) {
      atLeast = count;
      return this;
    }

    /** The run can succeed although this failed or was canceled. */
    public Builder mayFail() {
      mayFail = true;
      return this;
    }

    /** Of a gate: the secret that whoever completes it must know. */
    public Builder token(String value) {
      token = value;
      return this;
    }

    /** Of a gate: how long after it opened it fails by itself. */
    public Builder deadline(Duration value) {
      deadline = value;
      return this;
    }

    /** Of a gate: how long after it opened, if it still is, a job of this type is enqueued. */
    public Builder remind(Duration after, String jobType) {
      remindAfter = after;
      remindType = jobType;
      return this;
    }

    /**
     * Of a map: over the array at this JSON pointer in the output of that step, after which it is.
     */
    public Builder over(String step, String pointer) {
      over = new Over(step, pointer);
      return this;
    }

    /**
     * Of a sub-workflow: its input is what is at this JSON pointer in the output of that step,
     * after which it is.
     */
    public Builder inputFrom(String step, String pointer) {
      return over(step, pointer);
    }

    /** The step; what is wrong with it is said when the workflow is built. */
    public Step build() {
      boolean special = token != null || deadline != null || remindAfter != null;
      List<Dependency> edges = new ArrayList<>(after);
      Over source = over;
      if (source != null && after.stream().noneMatch(edge -> edge.step().equals(source.step()))) {
        edges.add(Dependency.onSuccess(source.step()));
      }
      return new Step(
          key,
          kind,
          type,
          payload,
          priority,
          maxAttempts,
          timeout,
          stage,
          resourceKey,
          delay,
          edges,
          atLeast,
          mayFail,
          kind == Kind.GATE || special ? new Gate(token, deadline, remindAfter, remindType) : null,
          over,
          workflow);
    }
  }
}
