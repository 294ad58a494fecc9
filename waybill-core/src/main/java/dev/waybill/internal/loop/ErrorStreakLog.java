package dev.waybill.internal.loop;

import java.time.Duration;
import org.slf4j.Logger;

/**
 * Logs failures by streak, not by try: the first one, then ever more rarely, then the recovery.
 * What is between is there at DEBUG, with stack traces. An {@code Error} is always loud.
 *
 * <p>Who fails again soon after it recovered had not recovered: a pool hands out what is left of
 * the connections that died, good and bad, and each would be a streak of its own.
 */
final class ErrorStreakLog implements LoopListener {
  /** With the standard backoff: after some ten seconds, and from then on at doubling intervals. */
  private static final int FIRST_REMINDER = 8;

  private static final long SOON_NANOS = Duration.ofSeconds(10).toNanos();

  private final Logger log;
  private final Time time;
  private long recoveredAt;
  private int before; // Failures in this streak before it last seemed to be over.

  ErrorStreakLog(Logger log, Time time) {
    this.log = log;
    this.time = time;
  }

  @Override
  public void started(String worker) {
    log.debug("{} started", worker);
  }

  @Override
  public void completed(String worker, Duration took, Next next) {
    log.trace("{} took {}, next: {}", worker, took, next);
  }

  @Override
  public void failed(
      String worker, Throwable error, int failures, Duration took, Duration retryIn) {
    if (failures == 1 && time.nanos() - recoveredAt >= SOON_NANOS) {
      before = 0;
    }
    if (error instanceof Error) {
      log.error("{} failed ({} in a row), retrying in {}", worker, failures, retryIn, error);
    } else if (isWorthTelling(streak(failures))) {
      log.warn(
          "{} failed ({} {}), retrying in {}: {}",
          worker,
          streak(failures),
          before == 0 ? "in a row" : "times in short succession",
          retryIn,
          onOneLine(error));
      log.debug("{} failed here", worker, error);
    } else {
      log.debug("{} failed ({} in a row), retrying in {}", worker, failures, retryIn, error);
    }
  }

  @Override
  public void recovered(String worker, int failures, Duration lasted) {
    if (before == 0) {
      log.info("{} works again after {} failures in {}", worker, failures, lasted);
    } else {
      log.debug("{} works again after {} failures in {}", worker, failures, lasted);
    }
    before = streak(failures);
    recoveredAt = time.nanos();
  }

  @Override
  public void stopped(String worker) {
    log.debug("{} stopped", worker);
  }

  private int streak(int failures) {
    return (int) Math.min(Integer.MAX_VALUE, (long) before + failures);
  }

  private static boolean isWorthTelling(int failures) {
    return failures == 1 || (failures >= FIRST_REMINDER && Integer.bitCount(failures) == 1);
  }

  private static String onOneLine(Throwable error) {
    String message = error.getMessage();
    String name = error.getClass().getName();
    return message == null ? name : name + ": " + message.strip().replaceAll("\\s*\\R\\s*", " ");
  }
}
