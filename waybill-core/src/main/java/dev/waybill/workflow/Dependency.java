package dev.waybill.workflow;

import org.jspecify.annotations.Nullable;

/**
 * An edge: what a step waits for.
 *
 * @param step the key of the prerequisite
 * @param mode which of its ends will do
 * @param condition what its output has to be; only with {@link Mode#ON_SUCCESS}
 */
public record Dependency(String step, Mode mode, @Nullable Condition condition) {
  /** Which ends of a prerequisite satisfy an edge. */
  public enum Mode {
    /** Only a success. */
    ON_SUCCESS,
    /** Any: succeeded, failed, canceled or skipped. */
    ON_TERMINAL
  }

  /** A success. */
  public static Dependency onSuccess(String step) {
    return new Dependency(step, Mode.ON_SUCCESS, null);
  }

  /** A success with a certain output. */
  public static Dependency onSuccess(String step, Condition condition) {
    return new Dependency(step, Mode.ON_SUCCESS, condition);
  }

  /** Any end. */
  public static Dependency onTerminal(String step) {
    return new Dependency(step, Mode.ON_TERMINAL, null);
  }
}
