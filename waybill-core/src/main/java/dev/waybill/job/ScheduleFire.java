package dev.waybill.job;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What became of one time of a schedule.
 *
 * @param job the job that was enqueued, if one was
 */
public record ScheduleFire(
    Instant scheduledFor, Instant firedAt, Outcome outcome, @Nullable UUID job) {
  /** What became of it. */
  public enum Outcome {
    /** A job was enqueued. */
    ENQUEUED,
    /** The job of the time before was not done. */
    OVERLAPPED,
    /** It had passed when somebody came, and the misfire policy leaves such times out. */
    MISFIRED,
    /** Somebody asked for it. */
    TRIGGERED
  }
}
