package dev.waybill;

import java.io.Serial;

/** The data source leads to a database product or version that Waybill does not run on. */
public class UnsupportedDatabaseException extends WaybillException {
  @Serial private static final long serialVersionUID = 1L;

  /** Says what was found and what is needed. */
  public UnsupportedDatabaseException(String message) {
    super(message);
  }
}
