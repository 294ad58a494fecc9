package dev.waybill.workflow;

import dev.waybill.job.Scope;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A run as it is, without its steps and its JSON; see {@link Workflows#steps} and {@link
 * Workflows#body}.
 *
 * @param steps how many it has
 * @param openSteps how many of them have not ended
 * @param source the run that this one is a rerun of, also after that was purged
 * @param sourceStep the step that the rerun began with; null for all of it
 * @param parent the run whose step started this one, also after that was purged
 * @param parentStep that step
 * @param reason why it was canceled
 */
public record WorkflowInfo(
    UUID id,
    String type,
    Scope scope,
    WorkflowStatus status,
    int steps,
    int openSteps,
    @Nullable String resultStep,
    @Nullable String idempotencyKey,
    @Nullable String activeKey,
    @Nullable UUID source,
    @Nullable String sourceStep,
    @Nullable UUID parent,
    @Nullable String parentStep,
    @Nullable String reason,
    Instant createdAt,
    @Nullable Instant finishedAt) {

  /**
   * The JSON of a run.
   *
   * @param input what it was given
   * @param result the output of its result step, once that has succeeded
   */
  public record Body(String input, @Nullable String result) {}
}
