package dev.waybill.bench.scenario;

import dev.waybill.bench.measure.Metric;
import java.util.List;

/** Ten messages of one size in each transaction. */
final class S10Payload implements Scenario {
  @Override
  public String id() {
    return "S10";
  }

  @Override
  public String title() {
    return "messages of 256 bytes, 4 KiB and 64 KiB";
  }

  @Override
  public List<Metric> columns() {
    return Scenarios.RATES_AND_TIMES;
  }

  @Override
  public List<Variant> variants(Scale scale) {
    return List.of(
        size(scale, "256 B", 256), size(scale, "4 KiB", 4_096), size(scale, "64 KiB", 65_536));
  }

  private static Variant size(Scale scale, String name, int bytes) {
    return new Variant(
        name,
        scale.seconds() * 1.5 + 3,
        trial -> Sustained.measured(trial, Load.of(4, 10).withBytes(bytes)));
  }
}
