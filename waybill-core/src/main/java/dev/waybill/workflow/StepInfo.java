package dev.waybill.workflow;

import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A step as it is, without its JSON; see {@link Workflows#stepBody}.
 *
 * @param id also of its job, from its release on
 * @param kind what it is
 * @param status how it is
 * @param type of a job
 * @param mayFail whether the run can succeed although it failed
 * @param after what it waits for; of a map step that has elements, those
 * @param blockedBy those of them that have not ended, while it waits for them
 * @param needed how many of them must be satisfied
 * @param satisfied how many are
 * @param run of its job; 0 if it has none
 * @param attempt of its job's run; 0 if there was none
 * @param releasedAt when its prerequisites were satisfied
 * @param startedAt when a worker took it first
 * @param finishedAt when it ended
 * @param timerAt when a delay passes, or a gate's next reminder or deadline is
 * @param worker who is at it
 * @param errorCode of a failure
 * @param errorMessage of a failure
 * @param reason why it is so
 * @param map of an element: the key of the map step that made it
 * @param child of a sub-workflow: the run it started
 */
public record StepInfo(
    UUID id,
    String key,
    Step.Kind kind,
    StepStatus status,
    @Nullable String type,
    boolean mayFail,
    List<Dependency> after,
    List<String> blockedBy,
    int needed,
    int satisfied,
    int run,
    int attempt,
    @Nullable Instant releasedAt,
    @Nullable Instant startedAt,
    @Nullable Instant finishedAt,
    @Nullable Instant timerAt,
    @Nullable String worker,
    @Nullable String errorCode,
    @Nullable String errorMessage,
    @Nullable String reason,
    @Nullable String map,
    @Nullable UUID child) {
  public StepInfo {
    after = List.copyOf(after);
    blockedBy = List.copyOf(blockedBy);
  }

  /**
   * The JSON of a step.
   *
   * @param payload what it was given
   * @param output what came out
   */
  public record Body(String payload, @Nullable String output) {}
}
