package dev.waybill.internal.loop;

import java.time.Duration;

/**
 * Hears what loops do. Called on the loop's thread, so it should be quick; what it throws is logged
 * and harms nobody.
 */
public interface LoopListener {
  /** The loop of this worker has begun. */
  default void started(String worker) {}

  /** A run begins. */
  default void running(String worker) {}

  /** A run returned normally. */
  default void completed(String worker, Duration took, Next next) {}

  /**
   * A run threw.
   *
   * @param failures how many in a row, this one included
   * @param retryIn when the next try will be
   */
  default void failed(
      String worker, Throwable error, int failures, Duration took, Duration retryIn) {}

  /**
   * A run returned normally after failures; {@link #completed} follows.
   *
   * @param failures how many there were in a row
   * @param lasted the time from the end of the first failed run to the end of this one
   */
  default void recovered(String worker, int failures, Duration lasted) {}

  /** The loop has ended. */
  default void stopped(String worker) {}
}
