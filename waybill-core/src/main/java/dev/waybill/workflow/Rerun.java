package dev.waybill.workflow;

import dev.waybill.job.Scope;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An order to run a workflow that has ended once more, as a new run that knows where it comes from.
 * The old one stays as it is. Steps that were appended are part of it.
 *
 * @param scope whose run it is
 * @param source the run that has ended
 * @param key stands for this order for good: a repetition finds the new run
 * @param reason for the record
 * @param fromStep begin with this step: it and all that follows from it run anew, every other step
 *     is taken over as it ended; null for everything anew
 * @param payload another payload for that step; null for the same
 */
public record Rerun(
    Scope scope,
    UUID source,
    String key,
    String reason,
    @Nullable String fromStep,
    @Nullable String payload) {
  private static final int LONGEST = 400;

  public Rerun {
    Objects.requireNonNull(scope, "scope");
    Objects.requireNonNull(source, "source");
    check("workflow.rerun_key", key);
    check("workflow.rerun_reason", reason);
    if (payload != null && fromStep == null) {
      throw new WorkflowException.InvalidArgument(
          "workflow.rerun_payload", "Another payload needs a step that it is for.");
    }
  }

  private static void check(String code, String text) {
    if (text.isBlank() || text.length() > LONGEST) {
      throw new WorkflowException.InvalidArgument(
          code, "Key and reason of a rerun must have 1 to 400 characters.");
    }
  }

  /** Everything anew. */
  public static Rerun all(Scope scope, UUID source, String key, String reason) {
    return new Rerun(scope, source, key, reason, null, null);
  }

  /** From a step on. */
  public static Rerun from(String step, Scope scope, UUID source, String key, String reason) {
    return new Rerun(scope, source, key, reason, step, null);
  }

  /** With another payload for the step it begins with. */
  public Rerun withPayload(String json) {
    return new Rerun(scope, source, key, reason, fromStep, json);
  }
}
