package dev.waybill.bench.scenario;

import dev.waybill.bench.contender.Contenders;
import dev.waybill.bench.contender.Entry;
import dev.waybill.bench.measure.Figures;
import dev.waybill.bench.measure.Metric;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * What is asked of those who run jobs: that each runs to success once, and how soon and how
 * cheaply. Order is nobody's promise here.
 *
 * @param id such as J1
 * @param title for people
 * @param columns the metrics that its table shows
 * @param ways its variants
 */
record JobScenario(
    String id, String title, List<Metric> columns, Function<Scale, List<Variant>> ways)
    implements Scenario {
  private static final Set<String> JOBS =
      Set.of(
          Contenders.JOBS, "db-scheduler-fetch", "db-scheduler-lock", "jobrunr", "quartz", "dbos");

  /** All of them. */
  static List<Scenario> all() {
    return List.of(
        new JobScenario(
            "J1",
            "jobs: drain of a backlog, 256 bytes",
            Scenarios.RATES,
            scale ->
                List.of(
                    new Variant(
                        "",
                        scale.seconds() * 2 + 3,
                        trial ->
                            once(
                                Drain.warmAndMeasured(
                                    trial,
                                    Load.of(4, 100),
                                    trial.scale().backlog(trial.entry().rate())))))),
        new JobScenario(
            "J2",
            "jobs, sustained: one business row and one job per transaction",
            Scenarios.RATES_AND_TIMES,
            scale ->
                List.of(
                    new Variant(
                        "8 producers",
                        scale.seconds() * 3 + 3,
                        trial -> once(Sustained.measured(trial, Load.of(8, 1)))))),
        new JobScenario(
            "J3",
            "jobs at a steady rate: how soon does one begin",
            Scenarios.TIMES,
            scale ->
                Stream.of(100, 500)
                    .map(
                        rate ->
                            new Variant(
                                rate + "/s",
                                Paced.seconds(scale),
                                trial ->
                                    once(Paced.measured(trial, Load.of(8, 1).forLatency(), rate))))
                    .toList()),
        new JobScenario(
            "J4",
            "jobs: enqueue many in one transaction",
            Scenarios.RATES,
            scale ->
                Stream.of(100, 1_000)
                    .map(
                        batch ->
                            new Variant(
                                batch + " per transaction",
                                scale.seconds() * 5 + 3,
                                trial -> once(BulkEnqueue.measured(trial, Load.of(4, batch)))))
                    .toList()),
        new JobScenario(
            "J5",
            "jobs: drain while very many more wait",
            Scenarios.RATES,
            scale ->
                List.of(deep(scale, "10 k behind", 10_000), deep(scale, "1 M behind", 1_000_000))));
  }

  /** Below the full scale the depths shrink in proportion. */
  private static Variant deep(Scale scale, String name, int most) {
    int behind = (int) ((long) most * scale.largest() / Scale.FULL.largest());
    return new Variant(
        name,
        scale.seconds() * 2 + 3 + behind / 20_000.0,
        trial ->
            once(
                Drain.warmAndMeasured(
                    trial,
                    Load.of(4, 1_000),
                    trial.scale().backlog(trial.entry().rate()),
                    behind)));
  }

  /** Where nothing fails, a job that ran twice to success is a broken promise. */
  private static Figures once(Figures figures) {
    double twice = figures.values().getOrDefault(Metric.DUPLICATES, 0.0);
    if (twice > 0) {
      throw new BrokenPromise((long) twice + " jobs ran more than once");
    }
    return figures;
  }

  @Override
  public List<Variant> variants(Scale scale) {
    return ways.apply(scale);
  }

  @Override
  public boolean admits(Entry entry) {
    return JOBS.contains(entry.name());
  }

  @Override
  public String ours() {
    return Contenders.JOBS;
  }
}
