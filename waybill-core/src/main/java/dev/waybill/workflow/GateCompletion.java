package dev.waybill.workflow;

import dev.waybill.job.Scope;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * How somebody completes a gate.
 *
 * @param scope whose run it is
 * @param run the run
 * @param step the gate's key
 * @param end what becomes of it: succeeded, failed or canceled
 * @param output JSON for those who wait for it; only of a success
 * @param code why it failed, for programs; only of a failure
 * @param message for people: why it failed or was canceled
 * @param token the gate's secret, if it has one
 */
public record GateCompletion(
    Scope scope,
    UUID run,
    String step,
    StepStatus end,
    @Nullable String output,
    @Nullable String code,
    @Nullable String message,
    @Nullable String token) {
  /** What became of a completion. */
  public enum Outcome {
    COMPLETED,
    /** It was completed in the same way before; nothing was changed. */
    ALREADY
  }

  public GateCompletion {
    Objects.requireNonNull(scope, "scope");
    Objects.requireNonNull(run, "run");
    Objects.requireNonNull(step, "step");
    boolean sensible =
        switch (end) {
          case SUCCEEDED -> code == null && message == null;
          case FAILED -> output == null && code != null && !code.isBlank();
          case CANCELED -> output == null && code == null && message != null && !message.isBlank();
          default -> false;
        };
    if (!sensible) {
      throw new WorkflowException.InvalidArgument(
          "workflow.gate_invalid_completion",
          "A gate succeeds with an output, fails with a code, or is canceled with a reason; it"
              + " cannot become "
              + end
              + " like this.");
    }
  }

  /** It succeeds. */
  public static GateCompletion succeed(Scope scope, UUID run, String step) {
    return new GateCompletion(scope, run, step, StepStatus.SUCCEEDED, null, null, null, null);
  }

  /** It succeeds, and this came out. */
  public static GateCompletion succeed(Scope scope, UUID run, String step, String outputJson) {
    return new GateCompletion(scope, run, step, StepStatus.SUCCEEDED, outputJson, null, null, null);
  }

  /** It fails. */
  public static GateCompletion fail(
      Scope scope, UUID run, String step, String code, String message) {
    return new GateCompletion(scope, run, step, StepStatus.FAILED, null, code, message, null);
  }

  /** It is canceled. */
  public static GateCompletion cancel(Scope scope, UUID run, String step, String reason) {
    return new GateCompletion(scope, run, step, StepStatus.CANCELED, null, null, reason, null);
  }

  /** With the gate's secret. */
  public GateCompletion withToken(String value) {
    return new GateCompletion(scope, run, step, end, output, code, message, value);
  }

  @Override
  public String toString() {
    return "GateCompletion[" + run + " " + step + " " + end + "]";
  }
}
