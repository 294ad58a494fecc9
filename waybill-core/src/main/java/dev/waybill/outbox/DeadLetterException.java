package dev.waybill.outbox;

import java.io.Serial;

/** An operation on dead letters that was asked for wrongly, or came too late. */
public abstract sealed class DeadLetterException extends OutboxException {
  @Serial private static final long serialVersionUID = 1L;

  private DeadLetterException(String message) {
    super(message);
  }

  /**
   * A filter that makes no sense, at all or for the operation. Nothing was sent to the database.
   */
  public static final class InvalidFilter extends DeadLetterException {
    @Serial private static final long serialVersionUID = 1L;
    private final String field;

    /** For a part of the filter and what is wrong with it. */
    public InvalidFilter(String field, String complaint) {
      super("The dead-letter filter's " + field + " " + complaint + ".");
      this.field = field;
    }

    /** Which part of the filter. */
    public String field() {
      return field;
    }
  }

  /** A claim that was to be ended is not, or no longer, the caller's. Nothing was changed. */
  public static final class ClaimLost extends DeadLetterException {
    @Serial private static final long serialVersionUID = 1L;
    private final String token;

    /** For a token and how many dead letters it was to end. */
    public ClaimLost(String token, int deadLetters) {
      super(
          "The claim "
              + Quoted.name(token)
              + " holds none of the "
              + deadLetters
              + " dead letters it was to end: it was ended before, or its deadline passed and"
              + " somebody else has taken them up. Claim again with a longer timeout, and expect"
              + " that the work is done twice.");
      this.token = token;
    }

    /** The token that was given. */
    public String token() {
      return token;
    }
  }
}
