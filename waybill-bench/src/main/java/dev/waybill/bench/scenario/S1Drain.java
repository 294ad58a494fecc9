package dev.waybill.bench.scenario;

import dev.waybill.bench.measure.Metric;
import java.util.List;

/** A backlog that nobody has touched is delivered as fast as possible. */
final class S1Drain implements Scenario {
  @Override
  public String id() {
    return "S1";
  }

  @Override
  public String title() {
    return "drain of a backlog, 16 keys, 256 bytes";
  }

  @Override
  public List<Metric> columns() {
    return Scenarios.RATES;
  }

  @Override
  public List<Variant> variants(Scale scale) {
    return List.of(
        new Variant(
            "",
            scale.seconds() * 2 + 3,
            trial ->
                Drain.warmAndMeasured(
                    trial, Load.of(4, 100), trial.scale().backlog(trial.entry().rate()))));
  }
}
