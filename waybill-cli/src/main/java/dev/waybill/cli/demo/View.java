package dev.waybill.cli.demo;

import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;

/** Shows the demo: some lines that change on a terminal, a line now and then elsewhere. */
final class View {
  private static final int PLAIN_EVERY = 4;
  private static final int BAR = 40;

  private final PrintWriter out;
  private final boolean terminal;
  private final int seconds;
  private List<String> drawn = List.of();
  private int reports;

  View(PrintWriter out, boolean terminal, int seconds) {
    this.out = out;
    this.terminal = terminal;
    this.seconds = seconds;
  }

  /** A line that stays, above those that change. */
  synchronized void say(String text) {
    erase();
    out.println(text);
    draw();
    out.flush();
  }

  synchronized void report(long second, Report report, double enqueued, double delivered) {
    if (terminal) {
      erase();
      drawn = panel(second, report, enqueued, delivered);
      draw();
      out.flush();
    } else if (reports++ % PLAIN_EVERY == 0) {
      out.println(line(second, report, enqueued, delivered));
      out.flush();
    }
  }

  private void erase() {
    if (!drawn.isEmpty()) {
      out.print("\r\033[" + drawn.size() + "A\033[J");
    }
  }

  /** Without wrapping: a narrow terminal cuts lines off, so that they are as many as we think. */
  private void draw() {
    if (!drawn.isEmpty()) {
      out.print("\033[?7l");
      drawn.forEach(out::println);
      out.print("\033[?7h");
    }
  }

  private List<String> panel(long second, Report report, double enqueued, double delivered) {
    int done = (int) Math.min(BAR, BAR * second / seconds);
    return List.of(
        "",
        String.format(
            Locale.ROOT,
            "  %-10s \033[36m%s\033[2m%s\033[0m %d of %d s",
            "time",
            "━".repeat(done),
            "─".repeat(BAR - done),
            second,
            seconds),
        row("messages", "in %.0f/s", enqueued, "out %.0f/s", delivered, "waiting %d", report.lag()),
        row(
            "latency",
            "p50 %s",
            millis(report.p50()),
            "p95 %s",
            millis(report.p95()),
            "p99 %s",
            millis(report.p99())),
        row(
            "trouble",
            "%d retries",
            report.retried(),
            "%d dead letters",
            report.rejected(),
            "",
            ""));
  }

  private static String row(String name, Object... formatsAndValues) {
    StringBuilder row = new StringBuilder(String.format(Locale.ROOT, "  %-10s", name));
    for (int i = 0; i < formatsAndValues.length; i += 2) {
      String cell =
          String.format(Locale.ROOT, (String) formatsAndValues[i], formatsAndValues[i + 1]);
      row.append(String.format(Locale.ROOT, " %-18s", cell));
    }
    return row.toString().stripTrailing();
  }

  private static String line(long second, Report report, double enqueued, double delivered) {
    return String.format(
        Locale.ROOT,
        "%3d s  enqueued %4.0f/s  delivered %4.0f/s  waiting %5d  latency p50 %s p95 %s p99 %s"
            + "  retries %d  dead letters %d",
        second,
        enqueued,
        delivered,
        report.lag(),
        millis(report.p50()),
        millis(report.p95()),
        millis(report.p99()),
        report.retried(),
        report.rejected());
  }

  private static String millis(long micros) {
    return micros == 0 ? "-" : String.format(Locale.ROOT, "%.1f ms", micros / 1000.0);
  }

  synchronized void verdict(Verdict verdict) {
    say("");
    say("Verified:");
    line("orders committed", verdict.orders(), true);
    line(
        "  shipped or given up (" + verdict.deadLetters() + " dead letters)",
        verdict.shipped() + verdict.deadLetters(),
        verdict.shipped() + verdict.deadLetters() == verdict.orders());
    line("  in the ledger", verdict.ledger(), verdict.ledger() == verdict.orders());
    line("rolled-back orders delivered", verdict.ghosts(), verdict.ghosts() == 0);
    line("order violations", verdict.disorder(), verdict.disorder() == 0);
    line("ledger duplicates", verdict.ledgerTwice(), verdict.ledgerTwice() == 0);
    line(
        "confirmations sent by jobs, of " + verdict.mailsWanted(),
        verdict.mails(),
        verdict.mails() == verdict.mailsWanted() && verdict.mailsTwice() == 0);
    line(
        "workflows that came to their end, of " + verdict.runs(),
        verdict.runsDone(),
        verdict.runsDone() == verdict.runs());
    say(
        "  shipments repeated after the kill: "
            + verdict.repeated()
            + " (at least once: the handler's part is to be idempotent)");
  }

  private void line(String what, long number, boolean right) {
    String mark = right ? "ok" : "WRONG";
    String colour = right ? "\033[32m" : "\033[31m";
    say(
        String.format(
            Locale.ROOT,
            "  %-48s %8d  %s",
            what,
            number,
            terminal ? colour + mark + "\033[0m" : mark));
  }

  /** Nothing changes any more. */
  synchronized void rest() {
    drawn = List.of();
  }
}
