package dev.waybill.bench.run;

import dev.waybill.bench.measure.Machine;
import dev.waybill.bench.report.Result;
import dev.waybill.bench.report.Results;
import dev.waybill.bench.scenario.Ground;
import dev.waybill.bench.scenario.Scale;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** Runs a plan. */
final class Bench {
  /** Others used more than this share of the processors: the run does not count. */
  static final double NOISY = 0.15;

  private static final int TRIES = 3;
  private static final int QUIET_CHECKS = 20;

  private final Servers servers;
  private final Scale scale;
  private final boolean acceptNoise;

  Bench(Servers servers, Scale scale, boolean acceptNoise) {
    this.servers = servers;
    this.scale = scale;
    this.acceptNoise = acceptNoise;
  }

  Results run(List<Heat> heats, Progress progress) throws Exception {
    String started = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
    List<Result> results = new ArrayList<>();
    for (Heat heat : heats) {
      Ground ground = servers.ground(heat.product());
      progress.begins(heat);
      List<Result> quietest = undisturbed(heat, ground, progress);
      progress.ended(heat, quietest);
      results.addAll(quietest);
    }
    return new Results(started, scale.name(), Machine.description(), servers.versions(), results);
  }

  /** Repeats what others disturbed, and keeps the run that was disturbed least. */
  private List<Result> undisturbed(Heat heat, Ground ground, Progress progress) throws Exception {
    List<Result> best = List.of();
    for (int attempt = 1; attempt <= TRIES; attempt++) {
      awaitQuiet(progress);
      List<Result> results = HeatProcess.run(heat, ground, scale);
      double noise = noise(results);
      if (best.isEmpty() || noise < noise(best)) {
        best = results;
      }
      if (acceptNoise || noise <= NOISY) {
        return best;
      }
      if (attempt < TRIES) {
        progress.says(
            String.format(
                Locale.ROOT,
                "others used %.0f %% of the processors during %s: once more",
                100 * noise,
                heat.entry().name()));
      }
    }
    return best.stream().map(Bench::withNoise).toList();
  }

  private static Result withNoise(Result result) {
    return result.foreignLoad() <= NOISY
        ? result
        : result.noted(
            String.format(
                Locale.ROOT,
                "disturbed in each of %d tries: others used %.0f %% of the processors",
                TRIES,
                100 * result.foreignLoad()));
  }

  private static double noise(List<Result> results) {
    return results.stream().mapToDouble(Result::foreignLoad).max().orElse(0);
  }

  private void awaitQuiet(Progress progress) throws InterruptedException {
    if (acceptNoise) {
      return;
    }
    for (int check = 0; check < QUIET_CHECKS; check++) {
      Machine before = Machine.now();
      TimeUnit.MILLISECONDS.sleep(500);
      if (Machine.now().foreignShareSince(before, 0) <= NOISY) {
        return;
      }
      if (check == 0) {
        progress.says("others use the processors: waiting for a quiet moment");
      }
    }
  }
}
