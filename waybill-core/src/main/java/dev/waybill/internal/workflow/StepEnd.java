package dev.waybill.internal.workflow;

import dev.waybill.internal.store.StepState;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A step that ends.
 *
 * @param output of a success
 * @param isMap whether it is a map step, which waits for no element any more
 */
record StepEnd(
    UUID workflow,
    UUID step,
    StepState state,
    @Nullable String output,
    boolean keepOutput,
    boolean isMap,
    @Nullable String code,
    @Nullable String message,
    @Nullable String reason) {
  /** That of a job: what it left behind is in its own row. */
  static StepEnd ofJob(UUID workflow, UUID step, StepState state, @Nullable String output) {
    return new StepEnd(workflow, step, state, output, false, false, null, null, null);
  }

  /** That of a gate, a delay or a sub-workflow. */
  static StepEnd of(
      UUID workflow,
      UUID step,
      StepState state,
      @Nullable String output,
      @Nullable String code,
      @Nullable String message,
      @Nullable String reason) {
    return new StepEnd(workflow, step, state, output, true, false, code, message, reason);
  }

  /** That of a map step. */
  static StepEnd ofMap(
      UUID workflow,
      UUID step,
      StepState state,
      @Nullable String output,
      @Nullable String code,
      @Nullable String message,
      @Nullable String reason) {
    return new StepEnd(workflow, step, state, output, true, true, code, message, reason);
  }
}
