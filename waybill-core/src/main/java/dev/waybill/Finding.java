package dev.waybill;

import java.util.Objects;

/**
 * One thing that {@link Doctor} looked at.
 *
 * @param code what was looked at, as a stable word for machines, such as {@code clock-skew};
 *     several findings may share it
 * @param severity how bad it is
 * @param what what was found, in a sentence
 * @param remedy what to do about it, in a sentence; empty if there is nothing to do
 */
public record Finding(String code, Severity severity, String what, String remedy) {

  /** How bad it is; the later, the worse. */
  public enum Severity {
    /** As it should be. */
    OK,
    /** Worth knowing; nothing goes wrong by it. */
    NOTE,
    /** Something may go wrong by it, or goes slower. */
    WARNING,
    /** Something does not work, or messages may be lost. */
    PROBLEM
  }

  /** Nothing is left out. */
  public Finding {
    Objects.requireNonNull(code, "code");
    Objects.requireNonNull(severity, "severity");
    Objects.requireNonNull(what, "what");
    Objects.requireNonNull(remedy, "remedy");
  }
}
