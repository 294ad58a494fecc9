package dev.waybill;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/**
 * The database refused or did not answer. {@link #kind()} says what a caller can do about it; it is
 * decided by SQLSTATE and vendor code, never by message text.
 */
public class DatabaseException extends WaybillException {
  @Serial private static final long serialVersionUID = 1L;

  /** What went wrong, as far as a caller would act differently. */
  public enum Kind {
    /** A unique key exists already. */
    DUPLICATE,
    /**
     * Deadlock, serialization failure, lock timeout, busy: the whole transaction can be retried.
     */
    CONTENTION,
    /** No connection, or it broke, or the server takes none now: a later try may find it back. */
    DISCONNECTED,
    /** Anything else: wrong SQL, missing rights, a violated constraint, a full disk. */
    FATAL
  }

  private final Kind kind;

  /** An error of the given kind. */
  public DatabaseException(Kind kind, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.kind = kind;
  }

  /** What a caller can do about it. */
  public Kind kind() {
    return kind;
  }
}
