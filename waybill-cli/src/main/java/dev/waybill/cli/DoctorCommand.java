package dev.waybill.cli;

import dev.waybill.Doctor;
import dev.waybill.Finding;
import dev.waybill.Finding.Severity;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Mixin;

/** {@code waybill doctor}: what is wrong with the database, and what to do. */
@Command(
    name = "doctor",
    description =
        "Look for what is wrong with the database for Waybill, and say what to do: schema, tables,"
            + " privileges, clocks, settings, old transactions, missing messages. Reads only.",
    footer = {
      "",
      "Exit codes: 0 nothing worse than a note, 1 a warning or a problem, 3 schema incompatible,"
          + " 4 database unreachable.",
      "",
      "With --json: {\"worst\": S, \"findings\": [{\"code\", \"severity\": S, \"what\", \"remedy\"}]},"
          + " where S is ok, note, warning or problem, and remedy is left out where there is none."
    },
    mixinStandardHelpOptions = true)
final class DoctorCommand implements Callable<Integer> {
  private static final String SCHEMA = "schema";

  @Mixin private ConnectionOptions connection = new ConnectionOptions();
  @Mixin private TableOptions tables = new TableOptions();
  @Mixin private Output output = new Output();

  @Override
  public Integer call() {
    List<Finding> findings =
        Doctor.examine(connection.existing(output.command()), tables.options(output.command()));
    output.showStyled(text(findings), document(findings));
    if (findings.stream().anyMatch(DoctorCommand::isIncompatible)) {
      return ExitCode.INCOMPATIBLE;
    }
    return worst(findings).compareTo(Severity.NOTE) > 0 ? ExitCode.TROUBLE : ExitCode.FINE;
  }

  private static boolean isIncompatible(Finding finding) {
    return finding.code().equals(SCHEMA) && finding.severity() == Severity.PROBLEM;
  }

  private static Severity worst(List<Finding> findings) {
    return findings.stream()
        .map(Finding::severity)
        .max(Comparator.naturalOrder())
        .orElse(Severity.OK);
  }

  private static String text(List<Finding> findings) {
    List<String> lines = new ArrayList<>();
    for (Finding finding : findings) {
      lines.add(mark(finding.severity()) + " " + Visible.line(finding.what()));
      if (!finding.remedy().isEmpty()) {
        lines.add(" ".repeat(10) + Visible.line(finding.remedy()));
      }
    }
    lines.add(summary(findings));
    return String.join(System.lineSeparator(), lines);
  }

  private static String summary(List<Finding> findings) {
    long problems = count(findings, Severity.PROBLEM);
    long warnings = count(findings, Severity.WARNING);
    return problems + warnings == 0
        ? "Nothing is wrong."
        : (problems == 1 ? "1 problem, " : problems + " problems, ")
            + (warnings == 1 ? "1 warning." : warnings + " warnings.");
  }

  private static long count(List<Finding> findings, Severity severity) {
    return findings.stream().filter(finding -> finding.severity() == severity).count();
  }

  /** As wide as the widest of them; the markup is dropped where there is no terminal. */
  private static String mark(Severity severity) {
    String style =
        switch (severity) {
          case OK -> "green";
          case NOTE -> "cyan";
          case WARNING -> "yellow";
          case PROBLEM -> "red,bold";
        };
    String word = String.format(Locale.ROOT, "%-9s", lower(severity));
    return Ansi.AUTO.string("@|" + style + " " + word + "|@");
  }

  private static String lower(Severity severity) {
    return severity.name().toLowerCase(Locale.ROOT);
  }

  private static Map<String, Object> document(List<Finding> findings) {
    List<Map<String, Object>> list = new ArrayList<>();
    for (Finding finding : findings) {
      Map<String, Object> each = new LinkedHashMap<>();
      each.put("code", finding.code());
      each.put("severity", lower(finding.severity()));
      each.put("what", finding.what());
      if (!finding.remedy().isEmpty()) {
        each.put("remedy", finding.remedy());
      }
      list.add(each);
    }
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("worst", lower(worst(findings)));
    document.put("findings", list);
    return document;
  }
}
