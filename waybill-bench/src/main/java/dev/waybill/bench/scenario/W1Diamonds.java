package dev.waybill.bench.scenario;

import dev.waybill.bench.contender.Entry;
import dev.waybill.bench.contender.FlowContender;
import dev.waybill.bench.measure.Metric;
import java.util.List;
import java.util.Map;

/** Many small graphs. */
final class W1Diamonds implements Scenario {
  private static final Flows.Graph DIAMOND =
      new Flows.Graph(
          Map.of("a", List.of(), "b", List.of("a"), "c", List.of("a"), "d", List.of("b", "c")),
          FlowContender::diamond);

  @Override
  public String id() {
    return "W1";
  }

  @Override
  public String title() {
    return "diamonds of four steps";
  }

  @Override
  public List<Metric> columns() {
    return Scenarios.OF_STEPS;
  }

  @Override
  public List<Variant> variants(Scale scale) {
    return List.of(
        new Variant(
            "",
            scale.graphs() / 50.0 + 3,
            trial ->
                Flows.measured(trial, DIAMOND, Math.max(10, scale.graphs() / 2), scale.graphs())));
  }

  @Override
  public String ours() {
    return "waybill-workflows";
  }

  @Override
  public boolean admits(Entry entry) {
    return entry.isOfFlows();
  }
}
