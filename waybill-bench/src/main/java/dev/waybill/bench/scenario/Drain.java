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
    return warmAndMeasured(trial, load, messages, 0);
  }

  /** The same, while so many more wait behind those that are measured. */
  static Figures warmAndMeasured(Trial trial, Load load, int messages, int behind)
      throws Exception {
    measured(trial, load, Math.max(100, messages / 3), 0);
    return measured(trial, load, messages, behind);
  }

  private static Figures measured(Trial trial, Load load, int messages, int behind)
      throws Exception {
    Figures figures = new Figures();
    try (Course course = new Course(trial, load, messages + behind + 1_000)) {
      new Producers(course, load).fill(messages + behind);
      long begin = course.start();
      // What starting costs, such as an application context, is no cost of a message.
      Lap lap = Lap.begin(course);
      int before = course.arrivals().count();
      course.awaitArrivals(messages);
      int arrived = Math.max(1, Math.min(messages, course.arrivals().count()));
      double seconds = (course.arrivals().time(arrived - 1) - begin) / NANOS;
      int counted = course.arrivals().count() - before;
      if (counted < messages / 2) {
        figures.note("most had arrived before the costs were counted");
        lap.endWithoutCosts(figures);
      } else {
        lap.end(figures, counted);
      }
      figures.put(Metric.THROUGHPUT, arrived / seconds);
      figures.put(Metric.SECONDS, seconds);
      if (behind == 0) {
        course.judge(figures);
      } else {
        course.judgeFirst(figures, messages);
      }
    }
    return figures;
  }
}
