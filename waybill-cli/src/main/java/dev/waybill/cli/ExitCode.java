package dev.waybill.cli;

import dev.waybill.DatabaseException;
import dev.waybill.InvalidNameException;
import dev.waybill.schema.SchemaIncompatibleException;
import dev.waybill.schema.SchemaIncompatibleException.QueryFailed;

/** What a command's exit tells a script. */
final class ExitCode {
  static final int FINE = 0;
  static final int TROUBLE = 1;
  static final int USAGE = 2;
  static final int INCOMPATIBLE = 3;
  static final int UNREACHABLE = 4;

  private ExitCode() {}

  static int of(Throwable failure) {
    if (failure instanceof QueryFailed queryFailed) {
      return disconnected(queryFailed.failure()) ? UNREACHABLE : INCOMPATIBLE;
    }
    if (failure instanceof SchemaIncompatibleException) {
      return INCOMPATIBLE;
    }
    if (failure instanceof InvalidNameException) {
      return USAGE;
    }
    return failure instanceof DatabaseException e && disconnected(e) ? UNREACHABLE : TROUBLE;
  }

  private static boolean disconnected(DatabaseException e) {
    return e.kind() == DatabaseException.Kind.DISCONNECTED;
  }
}
