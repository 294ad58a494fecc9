package dev.waybill.bench.scenario;

import dev.waybill.bench.contender.Entry;
import dev.waybill.bench.measure.Metric;
import java.util.List;
import java.util.Set;

/** Two processes serve one queue; the first of them produces, too. */
final class S6TwoProcesses implements Scenario {
  @Override
  public String id() {
    return "S6";
  }

  @Override
  public String title() {
    return "two processes deliver";
  }

  @Override
  public List<Metric> columns() {
    return Scenarios.RATES;
  }

  @Override
  public List<Variant> variants(Scale scale) {
    return List.of(
        new Variant(
            "", scale.seconds() * 1.5 + 6, trial -> TwoProcesses.measured(trial, Load.of(8, 1))));
  }

  private static final Set<String> ONE_PROCESS_ONLY = Set.of("bare", "raw-limit", "modulith");

  @Override
  public boolean admits(Entry entry) {
    return entry.carriesMessages() && !ONE_PROCESS_ONLY.contains(entry.name());
  }
}
