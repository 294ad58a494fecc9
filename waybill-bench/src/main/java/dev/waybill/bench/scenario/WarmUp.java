package dev.waybill.bench.scenario;

import java.util.concurrent.TimeUnit;

/**
 * Nobody is measured cold: producers and contender run at full load until that gets no faster. How
 * long it takes depends on how much code there is to compile, and on how much of the processors is
 * left for the compiler.
 */
final class WarmUp {
  private static final int FEWEST_WINDOWS = 3;
  private static final double NO_FASTER = 1.03;

  private WarmUp() {}

  /** In windows of a third of a run, in all as long as three runs at most. */
  static void of(Course course, Load load) throws Exception {
    double window = course.trial().scale().seconds() / 3.0;
    double most = course.trial().scale().seconds() * 3.0;
    double best = 0;
    double spent = 0;
    for (int i = 1; spent < most; i++) {
      int before = course.arrivals().count();
      long began = System.nanoTime();
      new Producers(course, load).sustain(window);
      course.awaitAll();
      double seconds = (System.nanoTime() - began) / (double) TimeUnit.SECONDS.toNanos(1);
      double rate = (course.arrivals().count() - before) / seconds;
      if (i >= FEWEST_WINDOWS && rate < best * NO_FASTER) {
        return;
      }
      best = Math.max(best, rate);
      spent += seconds;
    }
  }
}
