package dev.waybill.internal.loop;

import java.time.Duration;
import org.slf4j.Logger;

/**
 * Logs failures by streak, not by try: the first one, then ever more rarely, then the recovery.
 * What is between is there at DEBUG, with stack traces. An {@code Error} is always loud.
 */
final class ErrorStreakLog implements LoopListener {
  /** With the standard backoff: after some ten seconds, and from then on at doubling intervals. */
  private static final int FIRST_REMINDER = 8;

  private final Logger log;

  ErrorStreakLog(Logger log) {
    this.log = log;
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
    if (error instanceof Error) {
      log.error("{} failed ({} in a row), retrying in {}", worker, failures, retryIn, error);
    } else if (isWorthTelling(failures)) {
      log.warn(
          "{} failed ({} in a row), retrying in {}: {}",
          worker,
          failures,
          retryIn,
          onOneLine(error));
      log.debug("{} failed here", worker, error);
    } else {
      log.debug("{} failed ({} in a row), retrying in {}", worker, failures, retryIn, error);
    }
  }

  @Override
  public void recovered(String worker, int failures, Duration lasted) {
    log.info("{} works again after {} failures in {}", worker, failures, lasted);
  }

  @Override
  public void stopped(String worker) {
    log.debug("{} stopped", worker);
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
