package dev.waybill.bench.run;

import dev.waybill.bench.measure.Metric;
import dev.waybill.bench.report.Numbers;
import dev.waybill.bench.report.Result;
import dev.waybill.bench.scenario.Scenarios;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** Tells how far it is: in place on a terminal, in lines elsewhere. */
final class Progress {
  private final PrintStream out;
  private final boolean terminal;
  private final int heats;
  private final double planned;
  private final long begin = System.nanoTime();
  private int done;
  private double doneSeconds;

  Progress(PrintStream out, boolean terminal, List<Heat> heats) {
    this.out = out;
    this.terminal = terminal;
    this.heats = heats.size();
    this.planned = heats.stream().mapToDouble(Heat::seconds).sum();
  }

  void begins(Heat heat) {
    if (terminal) {
      out.printf("\r\033[K%s %s …", position(), subject(heat));
      out.flush();
    }
  }

  void says(String text) {
    out.printf("%s%s%n", terminal ? "\r\033[K" : "", text);
  }

  void ended(Heat heat, List<Result> results) {
    done++;
    doneSeconds += heat.seconds();
    for (Result result : results) {
      says(
          position()
              + " "
              + result.scenario()
              + (result.variant().isEmpty() ? "" : " " + result.variant())
              + " "
              + result.contender()
              + ": "
              + headline(result));
    }
  }

  private static String headline(Result result) {
    if (result.failure() != null) {
      return "FAILED: " + result.failure();
    }
    Metric metric = Scenarios.named(result.scenario()).columns().get(0);
    double value = result.figures().getOrDefault(metric, 0.0);
    String noise =
        result.foreignLoad() > Bench.NOISY
            ? String.format(Locale.ROOT, " [others used %.0f %%]", 100 * result.foreignLoad())
            : "";
    return Numbers.of(value) + " " + metric.label() + noise;
  }

  private String position() {
    return "[" + done + "/" + heats + ", " + left() + " left]";
  }

  /** By how the plan has held so far. */
  private String left() {
    double elapsed = (System.nanoTime() - begin) / (double) TimeUnit.SECONDS.toNanos(1);
    double pace = done < 3 ? 1 : elapsed / doneSeconds;
    long seconds = Math.round((planned - doneSeconds) * pace);
    return seconds >= 60 ? (seconds / 60) + " min " + (seconds % 60) + " s" : seconds + " s";
  }

  private static String subject(Heat heat) {
    return heat.entry().name()
        + " on "
        + heat.product()
        + ", "
        + String.join(
            ", ", heat.legs().stream().map(leg -> leg.scenario().id()).distinct().toList());
  }
}
