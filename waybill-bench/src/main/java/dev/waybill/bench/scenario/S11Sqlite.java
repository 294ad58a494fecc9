package dev.waybill.bench.scenario;

import dev.waybill.bench.measure.Metric;
import dev.waybill.testkit.DatabaseProduct;
import java.util.List;

/** Drain, single messages and batches on SQLite. */
final class S11Sqlite implements Scenario {
  @Override
  public String id() {
    return "S11";
  }

  @Override
  public String title() {
    return "SQLite";
  }

  @Override
  public List<Metric> columns() {
    return Scenarios.RATES_AND_TIMES;
  }

  @Override
  public List<Variant> variants(Scale scale) {
    return List.of(
        new Variant(
            "drain",
            scale.seconds() * 2 + 3,
            trial ->
                Drain.warmAndMeasured(
                    trial, Load.of(1, 100), trial.scale().backlog(trial.entry().rate() / 2))),
        new Variant(
            "1 per transaction",
            scale.seconds() * 1.5 + 3,
            trial -> Sustained.measured(trial, Load.of(4, 1))),
        new Variant(
            "1000 per transaction",
            scale.seconds() * 1.5 + 3,
            trial -> Sustained.measured(trial, Load.of(2, 1_000))));
  }

  @Override
  public List<DatabaseProduct> databases() {
    return List.of(DatabaseProduct.SQLITE);
  }
}
