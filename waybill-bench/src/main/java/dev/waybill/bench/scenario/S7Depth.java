package dev.waybill.bench.scenario;

import dev.waybill.bench.contender.Entry;
import dev.waybill.bench.measure.Metric;
import java.util.List;
import java.util.Set;

/** Messages are delivered while very many more wait behind them. */
final class S7Depth implements Scenario {
  @Override
  public String id() {
    return "S7";
  }

  @Override
  public String title() {
    return "a deep queue: does the rate depend on how much waits behind";
  }

  @Override
  public List<Metric> columns() {
    return Scenarios.RATES;
  }

  @Override
  public List<Variant> variants(Scale scale) {
    return List.of(
        depth(scale, "10 k behind", 10_000),
        depth(scale, "1 M behind", 1_000_000),
        depth(scale, "5 M behind", 5_000_000));
  }

  private static final Set<String> DEEP =
      Set.of("waybill-leased", "hand-unordered", "hand-ordered", "reference-shape");
  private static final int FULL = 500_000;

  /** Below the full scale the depths shrink in proportion. */
  private static Variant depth(Scale scale, String name, int most) {
    int behind = (int) ((long) most * scale.largest() / FULL);
    return new Variant(
        name,
        scale.seconds() * 2 + 3 + behind / 20_000.0,
        trial ->
            Drain.warmAndMeasured(
                trial, Load.of(4, 1_000), trial.scale().backlog(trial.entry().rate()), behind));
  }

  @Override
  public boolean isFor(Entry entry) {
    return DEEP.contains(entry.name());
  }
}
