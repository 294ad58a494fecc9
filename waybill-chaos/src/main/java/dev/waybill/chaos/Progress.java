package dev.waybill.chaos;

import java.io.PrintStream;
import java.time.Duration;
import java.util.Locale;

/** Tells how far it is: in place on a terminal, in a line every ten seconds elsewhere. */
final class Progress {
  private static final Duration SELDOM = Duration.ofSeconds(10);

  private final PrintStream out;
  private final boolean terminal;
  private Duration told = Duration.ZERO;

  Progress(PrintStream out, boolean terminal) {
    this.out = out;
    this.terminal = terminal;
  }

  void tell(Duration elapsed, int faults, long committed, long done) {
    if (!terminal && elapsed.minus(told).compareTo(SELDOM) < 0) {
      return;
    }
    told = elapsed;
    out.printf(
        Locale.ROOT,
        "%s  %s  %,5d faults  %,9d messages committed  %,9d done%s",
        terminal ? "\r\033[K" : "",
        clock(elapsed),
        faults,
        committed,
        done,
        terminal ? "" : System.lineSeparator());
    out.flush();
  }

  void end() {
    if (terminal) {
      out.print("\r\033[K");
    }
  }

  static String clock(Duration time) {
    return String.format(Locale.ROOT, "%d:%02d", time.toMinutes(), time.toSecondsPart());
  }
}
