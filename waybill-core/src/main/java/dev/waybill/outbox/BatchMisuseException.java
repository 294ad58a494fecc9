package dev.waybill.outbox;

import java.io.Serial;

/**
 * A handler used its {@link Batch} wrongly. The call changed nothing; if the handler lets this
 * exception pass, that is a retry like any other exception.
 */
public abstract sealed class BatchMisuseException extends OutboxException {
  @Serial private static final long serialVersionUID = 1L;

  private BatchMisuseException(String message) {
    super(message);
  }

  /** More messages were acked or rejected than are taken and not settled. */
  public static final class SettledBeyondTaken extends BatchMisuseException {
    @Serial private static final long serialVersionUID = 1L;
    private final int asked;
    private final int open;

    /** For the number to settle and the number that could be. */
    public SettledBeyondTaken(int asked, int open) {
      super(
          "The handler settled "
              + asked
              + " messages, but "
              + open
              + " are taken and not settled. Settle each message once, after taking it; after"
              + " nextChunk(n), ackChunk(chunk.size()), as the last chunk may be shorter than n.");
      this.asked = asked;
      this.open = open;
    }

    /** How many were to be settled. */
    public int asked() {
      return asked;
    }

    /** How many could have been. */
    public int open() {
      return open;
    }
  }

  /** A chunk of an impossible size. */
  public static final class InvalidChunkSize extends BatchMisuseException {
    @Serial private static final long serialVersionUID = 1L;

    /** For the size asked for and the smallest possible. */
    public InvalidChunkSize(int size, int smallest) {
      super("A chunk has at least " + smallest + " messages, not " + size + ".");
    }
  }

  /** The batch is over. */
  public static final class BatchClosed extends BatchMisuseException {
    @Serial private static final long serialVersionUID = 1L;

    /** For a call that came too late. */
    public BatchClosed() {
      super(
          "The batch is over: the handler has answered, or its time was up and the rest of the"
              + " batch is delivered again. Watch remaining(), and leave the batch alone after"
              + " answering.");
    }
  }
}
