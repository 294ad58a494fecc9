package dev.waybill.bench.scenario;

import dev.waybill.bench.load.Arrivals;
import dev.waybill.bench.measure.Figures;
import dev.waybill.bench.measure.Metric;
import java.util.Map;

/** Messages at a steady rate that everybody can keep up with: how soon does each arrive? */
final class Paced {
  private static final int ROOM = 1_000_000;

  private Paced() {}

  /** What a run takes, about. */
  static double seconds(Scale scale) {
    return scale.seconds() * 2 + scale.pacedSeconds() * 1.5 + 3;
  }

  static Figures measured(Trial trial, Load load, int perSecond) throws Exception {
    double seconds = trial.scale().pacedSeconds();
    Figures figures = new Figures();
    try (Course course = new Course(trial, load, ROOM)) {
      course.start();
      WarmUp.of(course, load);
      new Producers(course, load).paced(perSecond, seconds / 2);
      course.awaitAll();
      int warm = course.arrivals().count();
      Lap lap = Lap.begin(course);
      Map<Long, Long> commits = new Producers(course, load).paced(perSecond, seconds);
      course.awaitAll();
      int count = course.arrivals().count() - warm;
      lap.end(figures, Math.max(1, count));
      Arrivals measured = course.arrivals().after(warm);
      figures.latency(Latencies.fromDue(measured));
      figures.afterCommit(Latencies.fromCommit(measured, commits));
      figures.put(Metric.THROUGHPUT, count / seconds);
      course.judge(figures);
    }
    return figures;
  }
}
