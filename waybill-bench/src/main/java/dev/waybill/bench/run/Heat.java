package dev.waybill.bench.run;

import dev.waybill.bench.contender.Entry;
import dev.waybill.bench.scenario.Scenario;
import dev.waybill.bench.scenario.Variant;
import dev.waybill.testkit.DatabaseProduct;
import java.util.List;

/**
 * What one contender does in one JVM.
 *
 * @param product the database
 * @param entry the contender
 * @param repetition from 1
 * @param legs what it runs, in order
 */
record Heat(DatabaseProduct product, Entry entry, int repetition, List<Leg> legs) {
  private static final double START_SECONDS = 3;

  /**
   * One variant of one scenario.
   *
   * @param scenario which
   * @param variant of it
   */
  record Leg(Scenario scenario, Variant variant) {}

  double seconds() {
    return START_SECONDS + legs.stream().mapToDouble(leg -> leg.variant().seconds()).sum();
  }
}
