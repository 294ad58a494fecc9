package dev.waybill;

import java.io.Serial;

/** A table prefix or schema name that must not reach SQL. */
public class InvalidNameException extends WaybillException {
  @Serial private static final long serialVersionUID = 1L;

  /** Says which name, why it is refused and what would be accepted. */
  public InvalidNameException(String message) {
    super(message);
  }
}
