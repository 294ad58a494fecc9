package dev.waybill.job;

import java.time.Instant;

/**
 * What happened to a job besides its attempts.
 *
 * @param number where the next page begins
 * @param detail why; of a replay, the id of the job that it is a replay of
 */
public record JobEvent(
    long number, int run, int attempt, Kind kind, Instant occurredAt, String detail) {
  /** What happened. */
  public enum Kind {
    /** Somebody canceled it. */
    CANCELED,
    /** Somebody had it run again. */
    REQUEUED,
    /** It was made as a replay of another. */
    REPLAYED,
    /** It took over the payload and time of another request. */
    REPLACED,
    /** What ended its attempt could not be stored, so it was put aside. */
    QUARANTINED,
    /** Its worker gave it back; that attempt does not count. */
    RELEASED
  }
}
