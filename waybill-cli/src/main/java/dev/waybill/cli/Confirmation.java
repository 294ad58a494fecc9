package dev.waybill.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** A command that changes much says what it will touch, and asks. */
final class Confirmation {
  private static final String DECLINED = "nothing was changed; --yes goes on without asking.";

  @Spec(Target.MIXEE)
  private CommandSpec spec;

  @Option(names = "--yes", description = "Do not ask.")
  private boolean yes;

  @Option(names = "--dry-run", description = "Only say what would be touched.")
  private boolean dryRun;

  @SuppressWarnings("NullAway.Init") // picocli sets the injected fields
  Confirmation() {}

  /** What is done once it is agreed to; its exit code. */
  interface Change {
    int run() throws Exception;
  }

  /** Says what a change will touch, and makes it unless somebody objects. */
  int before(Output output, String what, Change change) throws Exception {
    if (dryRun) {
      output.show("Would " + what + ".", Map.of("dry_run", true, "would", what));
      return ExitCode.FINE;
    }
    return yes || agreed(what) ? change.run() : output.complain(DECLINED);
  }

  private boolean agreed(String what) throws IOException {
    PrintWriter err = spec.commandLine().getErr();
    err.print("This will " + Visible.line(what) + ". Go on? [y/N] ");
    err.flush();
    String answer =
        new BufferedReader(new InputStreamReader(System.in, Charset.defaultCharset())).readLine();
    if (answer == null) {
      err.println();
    }
    return answer != null && answer.strip().toLowerCase(Locale.ROOT).startsWith("y");
  }
}
