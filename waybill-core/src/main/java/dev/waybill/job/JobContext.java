package dev.waybill.job;

import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What a handler knows about its attempt, and what it may say meanwhile. What it writes is refused
 * with {@link JobException.LeaseLost} once the attempt no longer owns the job.
 *
 * <p>Safe for use by many threads.
 */
public interface JobContext {
  /** The job. */
  UUID id();

  /** Its type. */
  String type();

  /** Whose it is. */
  Scope scope();

  /** The run, from 1. */
  int run();

  /** The attempt of this run, from 1. */
  int attempt();

  /** How many attempts the run has. */
  int maxAttempts();

  /**
   * Grows with every lease of this job, over all its runs: what a remote system can compare to
   * refuse late calls. A handler that is called again after its process stopped has a larger one,
   * though that is the same attempt.
   */
  long leaseEpoch();

  /** What the request said. */
  String payload();

  /** What an earlier attempt or run left with {@link #checkpoint(String)}. */
  @Nullable String checkpoint();

  /** How much time is left until the deadline; negative after it. */
  Duration remaining();

  /** Whether to stop: canceled, timed out, the lease is lost, or the process ends. */
  boolean isCanceled();

  /** Why somebody canceled the job; null as long as nobody did, or nobody here knows. */
  @Nullable String cancelReason();

  /** Has this run, once, when the attempt is to stop; at once if it is already. */
  void onCancel(Runnable action);

  /** How far it is. Either may be null to stay what it was. */
  void progress(@Nullable Long done, @Nullable Long total);

  /** Remembers where to go on after a crash. */
  void checkpoint(String json);

  /** Tells people something; stored with the job. */
  void log(Level level, String message);

  /** How much it matters. */
  enum Level {
    DEBUG,
    INFO,
    WARN,
    ERROR
  }
}
