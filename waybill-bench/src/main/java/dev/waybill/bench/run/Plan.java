package dev.waybill.bench.run;

import dev.waybill.bench.contender.Entry;
import dev.waybill.bench.run.Heat.Leg;
import dev.waybill.bench.scenario.Scale;
import dev.waybill.bench.scenario.Scenario;
import dev.waybill.testkit.DatabaseProduct;
import java.util.ArrayList;
import java.util.List;

/**
 * Who runs what, in which order. Repetitions are interleaved: all contenders run before any runs
 * again, so that a slow quarter of an hour slows all of them.
 */
final class Plan {
  private Plan() {}

  /** One JVM per contender and scenario. */
  static List<Heat> full(Wish wish) {
    List<Heat> heats = new ArrayList<>();
    for (Scenario scenario : wish.scenarios()) {
      for (DatabaseProduct product : wish.databasesOf(scenario)) {
        for (int repetition = 1; repetition <= wish.repetitions(); repetition++) {
          for (Entry entry : wish.contendersOf(scenario, product)) {
            heats.add(new Heat(product, entry, repetition, legs(scenario, wish.scale())));
          }
        }
      }
    }
    return heats;
  }

  /** One JVM per contender for the first variant of each scenario: half of the time is saved. */
  static List<Heat> quick(Wish wish) {
    List<Heat> heats = new ArrayList<>();
    for (int repetition = 1; repetition <= wish.repetitions(); repetition++) {
      for (DatabaseProduct product : wish.databases()) {
        for (Entry entry : wish.contenders()) {
          List<Leg> legs =
              wish.scenarios().stream()
                  .filter(scenario -> wish.contendersOf(scenario, product).contains(entry))
                  .map(scenario -> legs(scenario, wish.scale()).get(0))
                  .toList();
          if (!legs.isEmpty()) {
            heats.add(new Heat(product, entry, repetition, legs));
          }
        }
      }
    }
    return heats;
  }

  private static List<Leg> legs(Scenario scenario, Scale scale) {
    return scenario.variants(scale).stream().map(variant -> new Leg(scenario, variant)).toList();
  }
}
