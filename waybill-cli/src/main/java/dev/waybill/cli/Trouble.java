package dev.waybill.cli;

import dev.waybill.schema.SchemaIncompatibleException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.function.BooleanSupplier;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.ParseResult;

/** An error in one readable sentence; the stack trace only when asked for. */
final class Trouble implements IExecutionExceptionHandler {
  private final BooleanSupplier debug;

  Trouble(BooleanSupplier debug) {
    this.debug = debug;
  }

  @Override
  public int handleExecutionException(Exception e, CommandLine command, ParseResult parsed) {
    PrintWriter err = command.getErr();
    String verdict =
        e instanceof SchemaIncompatibleException incompatible
            ? "[" + incompatible.verdict() + "] "
            : "";
    String message = e.getMessage() == null ? e.toString() : e.getMessage();
    err.println(command.getColorScheme().errorText("waybill: " + verdict + Visible.block(message)));
    if (debug.getAsBoolean()) {
      err.println(command.getColorScheme().stackTraceText(trace(e)));
    }
    err.flush();
    return ExitCode.of(e);
  }

  private static String trace(Exception e) {
    StringWriter trace = new StringWriter();
    e.printStackTrace(new PrintWriter(trace));
    return Visible.block(trace.toString().replace("\t", "    "));
  }
}
