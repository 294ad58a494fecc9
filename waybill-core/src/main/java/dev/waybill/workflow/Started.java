package dev.waybill.workflow;

import java.util.UUID;

/**
 * What became of a request for a run.
 *
 * @param id the run
 * @param outcome whether it is new
 */
public record Started(UUID id, Outcome outcome) {
  /** Whether a run is new. */
  public enum Outcome {
    STARTED,
    /** The idempotency key belongs to a run with the same request. */
    EXISTING,
    /** The active key belongs to a run that has not ended, or whose handlers may still be at it. */
    ACTIVE
  }

  /** Whether this request made the run. */
  public boolean isNew() {
    return outcome == Outcome.STARTED;
  }
}
