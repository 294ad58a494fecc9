package dev.waybill.cli;

import dev.waybill.schema.SchemaIncompatibleException;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** Text for people, or JSON for programs. */
final class Output {
  @Spec(Target.MIXEE)
  private CommandSpec spec;

  @Option(names = "--json", description = "Answer in JSON.")
  private boolean json;

  @SuppressWarnings("NullAway.Init") // picocli sets the injected fields
  Output() {}

  CommandLine command() {
    return spec.commandLine();
  }

  /** Where what is not the answer belongs. */
  PrintWriter aside() {
    return json ? command().getErr() : command().getOut();
  }

  boolean isJson() {
    return json;
  }

  void show(String text, Map<String, ?> document) {
    showStyled(Visible.block(text), document);
  }

  /** Of a text with colours of our own; what is not ours in it went through {@link Visible}. */
  void showStyled(String text, Map<String, ?> document) {
    PrintWriter out = command().getOut();
    out.println(json ? Json.write(document) : text);
    out.flush();
  }

  /** Says that it cannot be done. */
  int complain(String why) {
    PrintWriter err = command().getErr();
    err.println("waybill: " + Visible.block(why));
    err.flush();
    return ExitCode.TROUBLE;
  }

  /**
   * Runs a command whose failure may be a verdict; with --json the verdict is on stdout as well.
   */
  int judged(Runnable command) {
    try {
      command.run();
      return ExitCode.FINE;
    } catch (SchemaIncompatibleException e) {
      if (json) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("verdict", e.verdict());
        if (e instanceof SchemaIncompatibleException.AboutVersion about) {
          document.put("version", about.version());
        }
        document.put("message", e.getMessage());
        show("", document);
      }
      throw e;
    }
  }
}
