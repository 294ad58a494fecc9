package dev.waybill.bench.scenario;

/**
 * Nobody is measured cold. Time alone does not warm a JVM that gets little of the processors: it
 * goes on until enough messages have passed.
 */
final class WarmUp {
  private static final int ENOUGH = 3_000;
  private static final int ROUNDS = 5;

  private WarmUp() {}

  static void of(Course course, Load load, double seconds) throws Exception {
    int enough = Math.min(ENOUGH, course.trial().entry().rate());
    for (int i = 0; i < ROUNDS && (i == 0 || course.arrivals().count() < enough); i++) {
      new Producers(course, load).sustain(seconds);
      course.awaitAll();
    }
  }
}
