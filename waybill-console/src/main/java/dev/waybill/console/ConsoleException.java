package dev.waybill.console;

import dev.waybill.WaybillException;
import java.io.Serial;
import org.jspecify.annotations.Nullable;

/** The console cannot start as it was asked to. Each case is a type of its own. */
public abstract sealed class ConsoleException extends WaybillException {
  @Serial private static final long serialVersionUID = 1L;

  private ConsoleException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }

  /** It would be open to everybody who reaches the address. */
  public static final class Unprotected extends ConsoleException {
    @Serial private static final long serialVersionUID = 1L;

    Unprotected(String address) {
      super(
          "The console would listen on "
              + address
              + ", where other machines reach it, and nothing would protect it. Set a token or an"
              + " authenticator, or stay on the loopback address.",
          null);
    }
  }

  /** An option that makes no sense. */
  public static final class InvalidOption extends ConsoleException {
    @Serial private static final long serialVersionUID = 1L;
    private final String option;

    InvalidOption(String option, String complaint) {
      super("The console's option " + option + " " + complaint + ".", null);
      this.option = option;
    }

    /** Its name. */
    public String option() {
      return option;
    }
  }

  /** The address is taken, or not one of this machine. */
  public static final class CannotListen extends ConsoleException {
    @Serial private static final long serialVersionUID = 1L;

    CannotListen(String address, Throwable cause) {
      super(
          "The console cannot listen on "
              + address
              + ": "
              + cause.getMessage()
              + ". Choose another address or port; port 0 takes a free one.",
          cause);
    }
  }
}
