package dev.waybill.bench.report;

import dev.waybill.bench.measure.Figures;
import dev.waybill.bench.measure.Metric;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One run of one variant by one contender.
 *
 * @param database such as PostgreSQL
 * @param scenario such as S1
 * @param variant of the scenario
 * @param contender by name
 * @param repetition from 1
 * @param figures what was measured
 * @param latency the latency curve; may be empty
 * @param series moments of a long run; may be empty
 * @param notes for the reader
 * @param failure what went wrong; null if nothing did
 */
public record Result(
    String database,
    String scenario,
    String variant,
    String contender,
    int repetition,
    Map<Metric, Double> figures,
    List<Figures.Point> latency,
    List<Figures.Sample> series,
    List<String> notes,
    @Nullable String failure) {

  /** The share of the processors that others used meanwhile. */
  public double foreignLoad() {
    return figures.getOrDefault(Metric.FOREIGN_LOAD, 0.0);
  }

  /** The same as another repetition. */
  Result repetition(int another) {
    return new Result(
        database, scenario, variant, contender, another, figures, latency, series, notes, failure);
  }

  /** With one more note. */
  public Result noted(String note) {
    List<String> more = new java.util.ArrayList<>(notes);
    more.add(note);
    return new Result(
        database,
        scenario,
        variant,
        contender,
        repetition,
        figures,
        latency,
        series,
        more,
        failure);
  }
}
