package dev.waybill.bench.scenario;

import dev.waybill.bench.measure.Figures;
import dev.waybill.bench.measure.Metric;
import java.util.concurrent.TimeUnit;

/**
 * Only the sending is measured; afterwards everything is delivered, so that it can be judged. It is
 * warmed up on a database of its own, which nobody reads: most contenders deliver so much more
 * slowly than they enqueue.
 */
final class BulkEnqueue {
  private static final double NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final int ROOM = 5_000_000;

  /** Transactions of each producer until its connection's statements are prepared. */
  private static final int FIRST = 12;

  private BulkEnqueue() {}

  static Figures measured(Trial trial, Load load) throws Exception {
    try (Course course = new Course(trial, load, 0)) {
      WarmUp.ofSending(course, load);
    }
    Figures figures = new Figures();
    try (Course course = new Course(trial, load, ROOM)) {
      new Producers(course, load).fill((long) FIRST * load.producers() * load.batch());
      long before = course.mailroom().written();
      Lap lap = Lap.begin(course);
      long begin = System.nanoTime();
      Producers producers = new Producers(course, load);
      producers.fillFor(trial.scale().seconds() / 5.0);
      producers.note(figures);
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
