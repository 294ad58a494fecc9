package dev.waybill;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/**
 * The root of everything Waybill throws on purpose. A subclass exists where a caller would act
 * differently; the message names the thing, the reason and the remedy.
 */
public class WaybillException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  /** An error with nothing underneath it. */
  public WaybillException(String message) {
    super(message);
  }

  /** An error that another one caused. */
  public WaybillException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
