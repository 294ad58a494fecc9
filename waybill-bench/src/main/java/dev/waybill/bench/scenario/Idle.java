package dev.waybill.bench.scenario;

import dev.waybill.bench.measure.Figures;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Nothing to do: what does that cost? */
final class Idle {
  private static final double SECONDS_PER_MINUTE = 60;

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
      TimeUnit.SECONDS.sleep(Math.min(5, seconds));
      Lap lap = Lap.begin(course);
      TimeUnit.SECONDS.sleep(seconds);
      lap.endIdle(figures, seconds / SECONDS_PER_MINUTE);
      course.judge(figures);
    }
    return figures;
  }
}
