package dev.waybill.workflow;

import org.jspecify.annotations.Nullable;

/**
 * What a prerequisite's output has to be. An output without the place that is asked for satisfies
 * only {@link Test#ABSENT} and {@link Test#NOT_EQUAL}.
 *
 * @param pointer where to look: a JSON pointer such as {@code /order/total}; empty for all of it
 * @param test how to compare
 * @param value JSON to compare with; null if there is nothing to compare
 */
public record Condition(String pointer, Test test, @Nullable String value) {
  /** How to compare. */
  public enum Test {
    EQUAL,
    NOT_EQUAL,
    /** For numbers, or texts by their characters. */
    LESS,
    /** For numbers, or texts by their characters. */
    GREATER,
    PRESENT,
    ABSENT
  }

  /** Begins a condition with the place to look at. */
  public static At at(String pointer) {
    return new At(pointer);
  }

  /**
   * A place in an output.
   *
   * @param pointer a JSON pointer
   */
  public record At(String pointer) {
    /** The same JSON value; numbers by value, members in any order. */
    public Condition is(String json) {
      return new Condition(pointer, Test.EQUAL, json);
    }

    /** Another JSON value, or none. */
    public Condition isNot(String json) {
      return new Condition(pointer, Test.NOT_EQUAL, json);
    }

    /** A smaller number or text. */
    public Condition isLessThan(String json) {
      return new Condition(pointer, Test.LESS, json);
    }

    /** A larger number or text. */
    public Condition isGreaterThan(String json) {
      return new Condition(pointer, Test.GREATER, json);
    }

    /** Anything, also null. */
    public Condition isPresent() {
      return new Condition(pointer, Test.PRESENT, null);
    }

    /** Nothing. */
    public Condition isAbsent() {
      return new Condition(pointer, Test.ABSENT, null);
    }
  }
}
