package dev.waybill.bench.run;

import dev.waybill.bench.contender.Contenders;
import dev.waybill.bench.contender.Entry;
import dev.waybill.bench.measure.Figures;
import dev.waybill.bench.report.Result;
import dev.waybill.bench.report.Results;
import dev.waybill.bench.scenario.BrokenPromise;
import dev.waybill.bench.scenario.Ground;
import dev.waybill.bench.scenario.Scale;
import dev.waybill.bench.scenario.Scenario;
import dev.waybill.bench.scenario.Scenarios;
import dev.waybill.bench.scenario.Trial;
import dev.waybill.bench.scenario.Variant;
import dev.waybill.testkit.ChildJvm;
import dev.waybill.testkit.DatabaseProduct;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A heat in a JVM of its own: nobody inherits another's compiled code, threads or garbage. */
final class HeatProcess {
  private static final Logger LOG = LoggerFactory.getLogger(HeatProcess.class);
  private static final String RESULT = "result ";
  private static final int FIXED_ARGS = 6;

  private HeatProcess() {}

  /** Runs it, and gives a result for each leg, be it a failure. */
  static List<Result> run(Heat heat, Ground ground, Scale scale) throws Exception {
    var child =
        ChildJvm.of(HeatProcess.class)
            .name(heat.entry().name())
            .jvmArgs("-Xmx1500m", "-XX:+UseParallelGC")
            .property(
                "waybill.servers.dir", System.getProperty("waybill.servers.dir", "target/servers"))
            .args(heat.entry().name(), ground.product().name(), ground.url())
            .args(Long.toString(ground.pid()), scale.name())
            .args(Integer.toString(heat.repetition()));
    heat.legs().forEach(leg -> child.args(leg.scenario().id(), leg.variant().name()));
    List<Result> results = new ArrayList<>();
    try (ChildJvm running = child.start()) {
      for (Heat.Leg leg : heat.legs()) {
        results.add(await(running, heat, leg, results.size() + 1));
      }
    }
    return results;
  }

  private static Result await(ChildJvm child, Heat heat, Heat.Leg leg, int nth) throws Exception {
    Duration patience = Duration.ofSeconds(90 + (long) (leg.variant().seconds() * 6));
    try {
      return Results.parse(child.awaitLine(RESULT, nth, patience).substring(RESULT.length()));
    } catch (AssertionError e) {
      return failed(heat.product(), heat.entry(), heat.repetition(), leg, firstLine(e));
    }
  }

  private static Throwable root(Throwable e) {
    Throwable root = e;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return root;
  }

  private static String firstLine(Throwable e) {
    String message = e.toString();
    return message.substring(0, Math.min(160, message.length()));
  }

  private static Result failed(
      DatabaseProduct product, Entry entry, int repetition, Heat.Leg leg, String failure) {
    return new Result(
        product.name(),
        leg.scenario().id(),
        leg.variant().name(),
        entry.name(),
        repetition,
        Map.of(),
        List.of(),
        List.of(),
        List.of(),
        failure);
  }

  /** The legs of a heat, one after the other. */
  public static void main(String... args) throws Exception {
    ChildJvm.exitWithParent();
    Entry entry = Contenders.named(args[0]).get(0);
    DatabaseProduct product = DatabaseProduct.valueOf(args[1]);
    Ground ground = new Ground(product, args[2], Long.parseLong(args[3]));
    Trial trial = new Trial(entry, ground, Scale.named(args[4]));
    int repetition = Integer.parseInt(args[5]);
    for (int i = FIXED_ARGS; i < args.length; i += 2) {
      Scenario scenario = Scenarios.named(args[i]);
      String name = args[i + 1];
      Variant variant =
          scenario.variants(trial.scale()).stream()
              .filter(each -> each.name().equals(name))
              .findFirst()
              .orElseThrow();
      System.out.println(RESULT + Results.line(measured(trial, scenario, variant, repetition)));
    }
    // Some contenders leave threads behind that would keep the JVM.
    Runtime.getRuntime().halt(0);
  }

  private static Result measured(Trial trial, Scenario scenario, Variant variant, int repetition) {
    DatabaseProduct product = trial.ground().product();
    try {
      Figures figures = variant.measurement().of(trial);
      return new Result(
          product.name(),
          scenario.id(),
          variant.name(),
          trial.entry().name(),
          repetition,
          figures.values(),
          figures.latency(),
          figures.series(),
          figures.notes(),
          null);
    } catch (BrokenPromise e) {
      return failed(
          product,
          trial.entry(),
          repetition,
          new Heat.Leg(scenario, variant),
          "promise broken: " + e.getMessage());
    } catch (Exception | LinkageError e) {
      LOG.info("{} {} {}", scenario.id(), variant.name(), trial.entry().name(), e);
      return failed(
          product, trial.entry(), repetition, new Heat.Leg(scenario, variant), firstLine(root(e)));
    }
  }
}
