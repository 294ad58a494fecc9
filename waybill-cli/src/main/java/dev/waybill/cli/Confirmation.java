package dev.waybill.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.util.Locale;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** A command that changes much says what it will touch, and asks. */
final class Confirmation {
  @Spec(Target.MIXEE)
  private CommandSpec spec;

  @Option(names = "--yes", description = "Do not ask.")
  private boolean yes;

  @Option(names = "--dry-run", description = "Only say what would be touched.")
  private boolean dryRun;

  @SuppressWarnings("NullAway.Init") // picocli sets the injected fields
  Confirmation() {}

  /** Whether to go on. */
  boolean given(String what) throws IOException {
    PrintWriter err = spec.commandLine().getErr();
    if (dryRun) {
      err.println("Would " + what + ".");
      err.flush();
      return false;
    }
    if (yes) {
      return true;
    }
    err.print("This will " + what + ". Go on? [y/N] ");
    err.flush();
    String answer =
        new BufferedReader(new InputStreamReader(System.in, Charset.defaultCharset())).readLine();
    boolean agreed = answer != null && answer.strip().toLowerCase(Locale.ROOT).startsWith("y");
    if (!agreed) {
      err.println("Nothing was changed.");
      err.flush();
    }
    return agreed;
  }
}
