package dev.waybill.bench.scenario;

import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;

/**
 * Nobody is measured cold: producers and contender run at full load until that gets no faster and
 * hardly anything is left to compile. In between they rest, because a load that takes all of the
 * processors leaves nothing to the compiler, for minutes.
 */
final class WarmUp {
  private static final int FEWEST_WINDOWS = 3;
  private static final double NO_FASTER = 1.03;

  /** Of a window's time. */
  private static final double HARDLY_ANYTHING = 0.1;

  private static final long LOOK_MILLIS = 200;
  private static final int LOOKS = 16;

  private static final CompilationMXBean COMPILER = ManagementFactory.getCompilationMXBean();

  private WarmUp() {}

  /**
   * Producers and contender, in windows of a third of a run, in all as long as the scale allows.
   */
  static void of(Course course, Load load) throws Exception {
    Scale scale = course.trial().scale();
    untilSteady(
        scale.seconds() / 3.0,
        scale.seconds() * (double) scale.warmUps(),
        scale.warmUps() * LOOKS,
        seconds -> {
          long before = course.arrivals().count();
          new Producers(course, load).sustain(seconds);
          course.awaitAll();
          return course.arrivals().count() - before;
        });
  }

  /** Only the sending, for a run's time at most. */
  static void ofSending(Course course, Load load) throws Exception {
    Scale scale = course.trial().scale();
    untilSteady(
        scale.seconds() / 10.0,
        scale.seconds(),
        scale.warmUps() * LOOKS,
        seconds -> {
          long before = course.mailroom().written();
          new Producers(course, load).fillFor(seconds);
          return course.mailroom().written() - before;
        });
  }

  private static void untilSteady(double window, double most, int looks, Work work)
      throws Exception {
    double best = 0;
    double spent = 0;
    for (int i = 1; spent < most; i++) {
      long compiled = COMPILER.getTotalCompilationTime();
      long began = System.nanoTime();
      long done = work.in(window);
      double seconds = (System.nanoTime() - began) / (double) TimeUnit.SECONDS.toNanos(1);
      awaitCompiler(looks);
      double rate = done / seconds;
      double compiling = (COMPILER.getTotalCompilationTime() - compiled) / 1000.0;
      if (i >= FEWEST_WINDOWS && rate < best * NO_FASTER && compiling < seconds * HARDLY_ANYTHING) {
        return;
      }
      best = Math.max(best, rate);
      spent += seconds;
    }
  }

  private static void awaitCompiler(int looks) throws InterruptedException {
    long before = -1;
    for (int i = 0; i < looks && before != COMPILER.getTotalCompilationTime(); i++) {
      before = COMPILER.getTotalCompilationTime();
      TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
    }
  }

  /** The load in one window: how many messages it was. */
  private interface Work {
    long in(double seconds) throws Exception;
  }
}
