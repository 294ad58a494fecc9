package dev.waybill.bench.scenario;

import dev.waybill.bench.measure.Figures;
import dev.waybill.bench.measure.Metric;
import java.util.concurrent.TimeUnit;

/**
 * Only the sending is measured, after as much of it that is not; afterwards everything is
 * delivered, so that it can be judged.
 */
final class BulkEnqueue {
  private static final double NANOS = TimeUnit.SECONDS.toNanos(1);

  private BulkEnqueue() {}

  static Figures measured(Trial trial, Load load) throws Exception {
    int jobs = trial.scale().backlog(trial.entry().rate());
    Figures figures = new Figures();
    try (Course course = new Course(trial, load, 2 * jobs + 2_000)) {
      new Producers(course, load).fill(jobs);
      long before = course.mailroom().written();
      Lap lap = Lap.begin(course);
      long begin = System.nanoTime();
      new Producers(course, load).fill(jobs);
      double seconds = (System.nanoTime() - begin) / NANOS;
      long sent = course.mailroom().written() - before;
      lap.end(figures, (double) sent);
      figures.put(Metric.THROUGHPUT, sent / seconds);
      figures.put(Metric.SECONDS, seconds);
      course.start();
      course.awaitAll();
      course.judge(figures);
    }
    return figures;
  }
}
