package dev.waybill.bench.scenario;

import dev.waybill.bench.measure.Figures;

/**
 * One way to run a scenario.
 *
 * @param name what is special about it; empty if there is only one
 * @param seconds it takes about, for the time left
 * @param measurement does it
 */
public record Variant(String name, double seconds, Measurement measurement) {

  /** Runs a contender and measures. */
  @FunctionalInterface
  public interface Measurement {
    /** Gives figures, or throws {@link BrokenPromise}. */
    Figures of(Trial trial) throws Exception;
  }
}
