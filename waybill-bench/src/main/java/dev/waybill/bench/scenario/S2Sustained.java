package dev.waybill.bench.scenario;

import dev.waybill.bench.contender.Entry;
import dev.waybill.bench.measure.Metric;
import java.util.List;
import java.util.stream.Stream;

/**
 * Producers with a business row and one message in each transaction, and the contender beside them.
 */
final class S2Sustained implements Scenario {
  @Override
  public String id() {
    return "S2";
  }

  @Override
  public String title() {
    return "sustained: one business row and one message per transaction";
  }

  @Override
  public List<Metric> columns() {
    return Scenarios.RATES_AND_TIMES;
  }

  @Override
  public List<Variant> variants(Scale scale) {
    return Stream.of(8, 32)
        .map(
            producers ->
                new Variant(
                    producers + " producers",
                    scale.seconds() * 3 + 3,
                    trial -> Sustained.measured(trial, Load.of(producers, 1))))
        .toList();
  }

  @Override
  public boolean admits(Entry entry) {
    return entry.carriesMessages();
  }
}
