package dev.waybill.bench.scenario;

import dev.waybill.bench.contender.Entry;
import dev.waybill.bench.measure.Metric;
import java.util.List;

/** What it costs to wait for messages. */
final class S9Idle implements Scenario {
  @Override
  public String id() {
    return "S9";
  }

  @Override
  public String title() {
    return "nothing to do";
  }

  @Override
  public List<Metric> columns() {
    return List.of(
        Metric.IDLE_STATEMENTS,
        Metric.IDLE_COMMITS,
        Metric.IDLE_ROWS,
        Metric.IDLE_LOG_BYTES,
        Metric.IDLE_JVM_CPU,
        Metric.IDLE_SERVER_CPU);
  }

  @Override
  public List<Variant> variants(Scale scale) {
    return List.of(
        new Variant("", scale.idleSeconds() + 30, trial -> Idle.measured(trial, Load.of(1, 1))));
  }

  @Override
  public boolean admits(Entry entry) {
    return entry.carriesMessages()
        && !entry.name().equals("bare")
        && !entry.name().equals("raw-limit");
  }
}
