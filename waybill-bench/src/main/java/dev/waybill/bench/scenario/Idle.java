package dev.waybill.bench.scenario;

import dev.waybill.bench.measure.Figures;
import dev.waybill.bench.measure.Storage;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Nothing to do: what does that cost? */
final class Idle {
  private static final double SECONDS_PER_MINUTE = 60;

  /** PostgreSQL's sessions tell what they wrote up to ten seconds after they did. */
  private static final int SETTLED_SECONDS = 12;

  private static final int MOST_SETTLING = 5;

  private Idle() {}

  static Figures measured(Trial trial, Load load) throws Exception {
    Figures figures = new Figures();
    int seconds = trial.scale().idleSeconds();
    try (Course course = new Course(trial, load, 1_000)) {
      course.start();
      // One message, so that whatever begins with the first one has begun.
      course
          .contender()
          .send(
              dev.waybill.bench.load.Business.ONE_ROW,
              List.of(course.mailroom().next(0, System.nanoTime())));
      course.awaitAll();
      settle(course.storage(), Math.min(SETTLED_SECONDS, seconds));
      Lap lap = Lap.begin(course);
      TimeUnit.SECONDS.sleep(seconds);
      lap.endIdle(figures, seconds / SECONDS_PER_MINUTE);
      course.judge(figures);
    }
    return figures;
  }

  /** Until nothing new was told for so long; some contenders never stop writing. */
  private static void settle(Storage storage, int seconds) throws Exception {
    long before = -1;
    for (int i = 0; i < MOST_SETTLING; i++) {
      long written = storage.look().rowsWritten();
      if (written == before) {
        return;
      }
      before = written;
      TimeUnit.SECONDS.sleep(seconds);
    }
  }
}
