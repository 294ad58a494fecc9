package dev.waybill;

import java.io.Serial;

/** The caller's connection is not in a transaction that Waybill could join. */
public class TransactionRequiredException extends WaybillException {
  @Serial private static final long serialVersionUID = 1L;

  /** Says what is wrong with the connection and how to hand over a right one. */
  public TransactionRequiredException(String message) {
    super(message);
  }

  /** The same, with the error by which the database said so. */
  public TransactionRequiredException(String message, Throwable cause) {
    super(message, cause);
  }
}
