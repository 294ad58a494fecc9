package dev.waybill.bench.measure;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/** What one run of one variant gave. */
public final class Figures {
  private static final double NANOS_PER_MILLI = 1_000_000;
  private static final double[] CURVE = {
    0, 10, 25, 50, 75, 90, 95, 99, 99.5, 99.9, 99.95, 99.99, 100
  };

  private final Map<Metric, Double> values = new EnumMap<>(Metric.class);
  private final List<Point> latency = new ArrayList<>();
  private final List<Sample> series = new ArrayList<>();
  private final List<String> notes = new ArrayList<>();

  /**
   * A point of a latency curve.
   *
   * @param percentile from 0 to 100
   * @param millis at most so long for that share
   */
  public record Point(double percentile, double millis) {}

  /**
   * A moment of a long run.
   *
   * @param second since its beginning
   * @param rate messages a second since the sample before
   * @param tableBytes of all tables and indexes
   * @param deadRows that the server has not removed yet
   */
  public record Sample(double second, double rate, long tableBytes, long deadRows) {}

  /** Notes a value. */
  public void put(Metric metric, double value) {
    values.put(metric, value);
  }

  /** Notes how long messages took, in nanoseconds, from the moment each was due. */
  public void latency(Histogram nanos) {
    put(Metric.P50, millis(nanos, 50));
    put(Metric.P95, millis(nanos, 95));
    put(Metric.P99, millis(nanos, 99));
    put(Metric.MAX, millis(nanos, 100));
    for (double percentile : CURVE) {
      latency.add(new Point(percentile, millis(nanos, percentile)));
    }
  }

  /** Notes how long messages took after their commit, in nanoseconds. */
  public void afterCommit(Histogram nanos) {
    put(Metric.AFTER_COMMIT_P50, millis(nanos, 50));
    put(Metric.AFTER_COMMIT_P99, millis(nanos, 99));
  }

  private static double millis(Histogram nanos, double percentile) {
    return nanos.getValueAtPercentile(percentile) / NANOS_PER_MILLI;
  }

  /** Notes a moment. */
  public void sample(Sample sample) {
    series.add(sample);
  }

  /** Says something that a reader should know. */
  public void note(String text) {
    notes.add(text);
  }

  /** The values. */
  public Map<Metric, Double> values() {
    return values;
  }

  /** The latency curve; empty if there is none. */
  public List<Point> latency() {
    return latency;
  }

  /** The moments of a long run; empty if there are none. */
  public List<Sample> series() {
    return series;
  }

  /** What a reader should know. */
  public List<String> notes() {
    return notes;
  }
}
