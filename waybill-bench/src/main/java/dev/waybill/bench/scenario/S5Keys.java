package dev.waybill.bench.scenario;

import dev.waybill.bench.measure.Metric;
import java.util.List;
import java.util.stream.Stream;

/** Eight producers whose messages have few or many keys; inversions are counted. */
final class S5Keys implements Scenario {
  @Override
  public String id() {
    return "S5";
  }

  @Override
  public String title() {
    return "order within a key, with few and with many keys";
  }

  @Override
  public List<Metric> columns() {
    return Scenarios.RATES_AND_TIMES;
  }

  @Override
  public List<Variant> variants(Scale scale) {
    return Stream.of(1, 16, 64, 1_024)
        .map(
            keys ->
                new Variant(
                    keys + (keys == 1 ? " key" : " keys"),
                    scale.seconds() * 1.5 + 3,
                    trial -> Sustained.measured(trial, Load.of(8, 1).withKeys(keys))))
        .toList();
  }
}
