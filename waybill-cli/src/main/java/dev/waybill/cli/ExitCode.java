package dev.waybill.cli;

import dev.waybill.DatabaseException;
import dev.waybill.InvalidNameException;
import dev.waybill.job.JobException;
import dev.waybill.outbox.DeadLetterException;
import dev.waybill.outbox.OutboxException;
import dev.waybill.schema.SchemaIncompatibleException;
import dev.waybill.schema.SchemaIncompatibleException.QueryFailed;
import dev.waybill.workflow.WorkflowException;

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
    // What a command passes on was written behind it.
    if (failure instanceof InvalidNameException
        || failure instanceof OutboxException.InvalidSetting
        || failure instanceof DeadLetterException.InvalidFilter
        || failure instanceof JobException.InvalidArgument
        || failure instanceof WorkflowException.InvalidArgument) {
      return USAGE;
    }
    return failure instanceof DatabaseException e && disconnected(e) ? UNREACHABLE : TROUBLE;
  }

  private static boolean disconnected(DatabaseException e) {
    return e.kind() == DatabaseException.Kind.DISCONNECTED;
  }
}
