package dev.waybill.bench.scenario;

import dev.waybill.bench.measure.Metric;
import java.util.List;
import java.util.stream.Stream;

/** Four producers that send many messages in each transaction. */
final class S3Batches implements Scenario {
  @Override
  public String id() {
    return "S3";
  }

  @Override
  public String title() {
    return "many messages in one transaction";
  }

  @Override
  public List<Metric> columns() {
    return Scenarios.RATES_AND_TIMES;
  }

  @Override
  public List<Variant> variants(Scale scale) {
    return Stream.of(100, 1_000)
        .map(
            batch ->
                new Variant(
                    batch + " per transaction",
                    scale.seconds() * 1.5 + 3,
                    trial -> Sustained.measured(trial, Load.of(4, batch))))
        .toList();
  }
}
