package dev.waybill.spi;

import dev.waybill.job.AttemptOutcome;
import dev.waybill.job.JobStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Hears what becomes of jobs in this process, without payloads. Called on the thread that does it,
 * after the commit that made it true, so it should be quick; what it throws is logged and harms
 * nobody.
 */
public interface JobListener {
  /**
   * An attempt of a job.
   *
   * @param job its id
   * @param type its type
   * @param run from 1
   * @param attempt from 1 in each run
   */
  record Attempt(UUID job, String type, int run, int attempt) {}

  /**
   * How an attempt ended.
   *
   * @param outcome a timeout, for example, or that its process gave no sign of life
   * @param becomes what the job is now: one that waits is tried again or goes on
   * @param code of the failure
   * @param dueAt of a job that waits: when it is due again, if that was decided
   * @param took from the lease to the end
   */
  record End(
      AttemptOutcome outcome,
      JobStatus becomes,
      @Nullable String code,
      @Nullable Instant dueAt,
      Duration took) {}

  /** Jobs became part of a transaction; whether it commits is not known here. */
  default void enqueued(String type, int jobs) {}

  /** This process leased jobs. */
  default void claimed(String type, int jobs) {}

  /** A handler is about to be called. */
  default void started(Attempt attempt) {}

  /** An attempt was settled: by this process, or by its reaper for a process that died. */
  default void ended(Attempt attempt, End end) {}

  /** What an attempt wanted to have written was refused, because another has the job now. */
  default void leaseLost(Attempt attempt) {}

  /** A job was canceled from here; a handler that is at it, wherever, is asked to stop. */
  default void canceled(UUID job, String type, String reason) {}

  /** A time of a schedule became a job. */
  default void fired(String schedule, Instant scheduledFor, UUID job) {}
}
