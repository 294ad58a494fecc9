package dev.waybill.cli.demo;

import java.io.PrintWriter;
import java.util.Locale;

/** Shows the demo: one line that changes on a terminal, a line now and then elsewhere. */
final class View {
  private static final int PLAIN_EVERY = 4;

  private final PrintWriter out;
  private final boolean terminal;
  private int reports;

  View(PrintWriter out, boolean terminal) {
    this.out = out;
    this.terminal = terminal;
  }

  void say(String text) {
    out.println((terminal ? "\r\033[2K" : "") + text);
    out.flush();
  }

  void report(long second, Report report, double ordersPerSecond, double deliveriesPerSecond) {
    String line =
        String.format(
            Locale.ROOT,
            "%3d s  enqueued %4.0f/s  delivered %4.0f/s  waiting %5d  latency p50 %s p99 %s"
                + "  retries %d  dead letters %d",
            second,
            ordersPerSecond,
            deliveriesPerSecond,
            report.lag(),
            millis(report.p50()),
            millis(report.p99()),
            report.retried(),
            report.rejected());
    if (terminal) {
      out.print("\r\033[2K" + line);
      out.flush();
    } else if (reports++ % PLAIN_EVERY == 0) {
      out.println(line);
      out.flush();
    }
  }

  private static String millis(long micros) {
    return String.format(Locale.ROOT, "%.1f ms", micros / 1000.0);
  }

  void verdict(Verdict verdict) {
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
}
