package dev.waybill.bench.scenario;

import dev.waybill.bench.measure.Figures;
import dev.waybill.bench.measure.Metric;
import java.util.concurrent.TimeUnit;

/** Producers and the contender at the same time, both as fast as they can. */
final class Sustained {
  private static final double NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final int ROOM = 10_000_000;

  private Sustained() {}

  static Figures measured(Trial trial, Load load) throws Exception {
    double seconds = trial.scale().seconds();
    Figures figures = new Figures();
    try (Course course = new Course(trial, load, ROOM)) {
      course.start();
      WarmUp.of(course, load);
      long before = course.mailroom().written();
      int warm = course.arrivals().count();
      Lap lap = Lap.begin(course);
      long begin = System.nanoTime();
      Producers producers = new Producers(course, load);
      producers.sustain(seconds);
      producers.note(figures);
      double sending = (System.nanoTime() - begin) / NANOS;
      course.awaitAll();
      double took = (course.lastArrival() - begin) / NANOS;
      long sent = course.mailroom().written() - before;
      lap.end(figures, (double) sent);
      figures.put(Metric.THROUGHPUT, sent / took);
      figures.put(Metric.TRANSACTIONS, producers.transactions() / sending);
      figures.put(Metric.SECONDS, took);
      figures.latency(Latencies.fromDue(course.arrivals().after(warm)));
      course.judge(figures);
    }
    return figures;
  }
}
