package dev.waybill.bench.scenario;

import dev.waybill.bench.contender.Entry;
import dev.waybill.bench.measure.Metric;
import java.util.List;
import java.util.stream.Stream;

/** Messages at a steady rate, each timed from the moment it was due. */
final class S4Paced implements Scenario {
  @Override
  public String id() {
    return "S4";
  }

  @Override
  public String title() {
    return "steady rate: how soon is a message handled";
  }

  @Override
  public List<Metric> columns() {
    return Scenarios.TIMES;
  }

  @Override
  public List<Variant> variants(Scale scale) {
    return Stream.of(100, 500)
        .map(
            rate ->
                new Variant(
                    rate + "/s",
                    Paced.seconds(scale),
                    trial -> Paced.measured(trial, Load.of(8, 1).forLatency(), rate)))
        .toList();
  }

  @Override
  public boolean admits(Entry entry) {
    return entry.carriesMessages() && !entry.name().equals("raw-limit");
  }
}
