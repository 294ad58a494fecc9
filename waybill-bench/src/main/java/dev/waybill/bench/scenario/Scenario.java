package dev.waybill.bench.scenario;

import dev.waybill.bench.contender.Entry;
import dev.waybill.bench.measure.Metric;
import dev.waybill.testkit.DatabaseProduct;
import java.util.List;

/** What is asked of the contenders. */
public interface Scenario {
  /** Such as S1. */
  String id();

  /** For people. */
  String title();

  /** The metrics that its table shows, the one to compare by first. */
  List<Metric> columns();

  /** Its variants, in the order in which they run. */
  List<Variant> variants(Scale scale);

  /** Whether the contender can take part at all. */
  default boolean admits(Entry entry) {
    return entry.carriesMessages() && !entry.name().equals("bare");
  }

  /** Whether the contender takes part without being asked for by name. */
  default boolean isFor(Entry entry) {
    return admits(entry);
  }

  /** Which of Waybill's own is compared with the others. */
  default String ours() {
    return "waybill-leased";
  }

  /** The databases it runs on, if it is about particular ones; else none. */
  default List<DatabaseProduct> databases() {
    return List.of();
  }
}
