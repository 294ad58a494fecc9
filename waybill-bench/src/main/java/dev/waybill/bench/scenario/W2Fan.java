package dev.waybill.bench.scenario;

import dev.waybill.bench.contender.Entry;
import dev.waybill.bench.measure.Metric;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** One graph that becomes wide and narrow again. */
final class W2Fan implements Scenario {
  @Override
  public String id() {
    return "W2";
  }

  @Override
  public String title() {
    return "one step, then many side by side, then one";
  }

  @Override
  public List<Metric> columns() {
    return Scenarios.OF_STEPS;
  }

  @Override
  public List<Variant> variants(Scale scale) {
    int width = scale.graphs() * 5;
    return List.of(
        new Variant(
            width + " side by side",
            width / 200.0 + 3,
            trial ->
                Flows.measured(
                    trial, fan(width, (contender, run) -> contender.fan(run, width)), 1, 1)),
        new Variant(
            width + " side by side with an edge each",
            width / 200.0 + 3,
            trial ->
                Flows.measured(
                    trial, fan(width, (contender, run) -> contender.knownFan(run, width)), 1, 1)));
  }

  private static Flows.Graph fan(int width, Flows.Begin begin) {
    Map<String, List<String>> steps = new LinkedHashMap<>();
    List<String> middle = IntStream.range(0, width).mapToObj(String::valueOf).toList();
    steps.put("first", List.of());
    middle.forEach(key -> steps.put(key, List.of("first")));
    steps.put("last", middle);
    return new Flows.Graph(steps, begin);
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
