package dev.waybill.bench.scenario;

import dev.waybill.bench.contender.Entry;
import dev.waybill.bench.measure.Metric;
import java.util.List;
import java.util.Set;

/** A long run in which nothing that is deleted can be removed. */
final class S8Soak implements Scenario {
  @Override
  public String id() {
    return "S8";
  }

  @Override
  public String title() {
    return "soak while another transaction keeps its snapshot";
  }

  @Override
  public List<Metric> columns() {
    return List.of(
        Metric.THROUGHPUT,
        Metric.LAST_TO_FIRST,
        Metric.TABLE_BYTES_END,
        Metric.DEAD_ROWS_END,
        Metric.LOG_BYTES,
        Metric.JVM_CPU,
        Metric.SERVER_CPU);
  }

  @Override
  public List<Variant> variants(Scale scale) {
    return List.of(
        new Variant("", scale.soakSeconds() + 15, trial -> Soak.measured(trial, Load.of(4, 10))));
  }

  private static final Set<String> SOAKED =
      Set.of(
          "waybill-leased",
          "waybill-transactional",
          "hand-unordered",
          "hand-ordered",
          "reference-shape",
          "db-scheduler-lock",
          "gruelbox");

  @Override
  public boolean isFor(Entry entry) {
    return SOAKED.contains(entry.name());
  }
}
