package dev.waybill.bench.scenario;

import dev.waybill.bench.measure.Figures;
import dev.waybill.bench.measure.Metric;
import java.util.concurrent.TimeUnit;

/** A backlog that was there before the contender started, delivered as fast as it can. */
final class Drain {
  private static final double NANOS = TimeUnit.SECONDS.toNanos(1);

  private Drain() {}

  /** A small one first: nobody is measured cold. */
  static Figures warmAndMeasured(Trial trial, Load load, int messages) throws Exception {
    measured(trial, load, Math.max(100, messages / 3), 0);
    return measured(trial, load, messages, 0);
  }

  /** Delivers {@code messages} while so many more wait behind them. */
  static Figures measured(Trial trial, Load load, int messages, int behind) throws Exception {
    Figures figures = new Figures();
    try (Course course = new Course(trial, load, messages + behind + 1_000)) {
      new Producers(course, load).fill(messages + behind);
      Lap lap = Lap.begin(course);
      long begin = course.start();
      course.awaitArrivals(messages);
      int arrived = Math.max(1, Math.min(messages, course.arrivals().count()));
      double seconds = (course.arrivals().time(arrived - 1) - begin) / NANOS;
      lap.end(figures, course.arrivals().count());
      figures.put(Metric.THROUGHPUT, arrived / seconds);
      figures.put(Metric.SECONDS, seconds);
      if (behind == 0) {
        course.judge(figures);
      } else {
        judgeUnfinished(course, figures, messages);
      }
    }
    return figures;
  }

  /** With the backlog still there only the order can be judged, and that enough arrived. */
  private static void judgeUnfinished(Course course, Figures figures, int expected)
      throws Exception {
    course.stop();
    figures.put(Metric.MESSAGES, course.arrivals().count());
    if (course.arrivals().count() < expected) {
      throw new BrokenPromise(
          "only " + course.arrivals().count() + " of " + expected + " messages arrived");
    }
  }
}
