package dev.waybill.workflow;

import dev.waybill.job.Scope;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A gate that waits for somebody to complete it.
 *
 * @param id of the step
 * @param run it belongs to
 * @param type of the run
 * @param scope of the run
 * @param step its key
 * @param since when it began to wait
 * @param timerAt when it reminds somebody or gives up; null if never
 */
public record WaitingGate(
    UUID id,
    UUID run,
    String type,
    Scope scope,
    String step,
    Instant since,
    @Nullable Instant timerAt) {
  /** Where a page ended: those that have waited for less, or as long with a greater id, follow. */
  public record Position(Instant since, UUID id) {}

  /** Where the page after this one begins. */
  public Position position() {
    return new Position(since, id);
  }
}
