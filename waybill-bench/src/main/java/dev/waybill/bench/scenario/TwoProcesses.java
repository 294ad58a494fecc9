package dev.waybill.bench.scenario;

import dev.waybill.bench.load.ArrivalLog;
import dev.waybill.bench.load.Arrivals;
import dev.waybill.bench.measure.Figures;
import dev.waybill.bench.measure.Metric;
import dev.waybill.testkit.ChildJvm;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The same queue served by two processes, one of which also produces. */
final class TwoProcesses {
  private static final double NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int ROOM = 4_000_000;

  private TwoProcesses() {}

  static Figures measured(Trial trial, Load load) throws Exception {
    double seconds = trial.scale().seconds();
    Figures figures = new Figures();
    Path log = Files.createTempFile("arrivals", ".log");
    try (Course course = new Course(trial, load, ROOM);
        ChildJvm other = SecondProcess.start(course, load)) {
      course.start();
      other.awaitLine(SecondProcess.READY, PATIENCE);
      new Producers(course, load, () -> arrived(course, other)).sustain(seconds / 3);
      awaitAll(course, other);
      long before = course.mailroom().written();
      Lap lap = Lap.begin(course);
      long begin = System.nanoTime();
      new Producers(course, load, () -> arrived(course, other)).sustain(seconds);
      awaitAll(course, other);
      long sent = course.mailroom().written() - before;
      lap.end(figures, (double) sent);
      course.stop();
      other.send(SecondProcess.STOP + log);
      other.awaitLine(SecondProcess.STOPPED, PATIENCE);
      Arrivals all = ArrivalLog.merged(course.arrivals(), log);
      double took = (all.time(all.count() - 1) - begin) / NANOS;
      figures.put(Metric.THROUGHPUT, sent / took);
      figures.put(Metric.SECONDS, took);
      figures.note(
          "the other process handled %.0f %%"
              .formatted(100.0 * (all.count() - course.arrivals().count()) / all.count()));
      figures.note("JVM CPU is of the producing process alone");
      course.judge(figures, all);
    } finally {
      Files.delete(log);
    }
    return figures;
  }

  private static void awaitAll(Course course, ChildJvm other) throws InterruptedException {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (arrived(course, other) < course.mailroom().written() && System.nanoTime() < deadline) {
      TimeUnit.MILLISECONDS.sleep(20);
    }
  }

  private static long arrived(Course course, ChildJvm other) {
    List<String> lines = other.lines();
    String last = lines.isEmpty() ? "" : lines.get(lines.size() - 1);
    long there =
        last.startsWith(SecondProcess.COUNT)
            ? Long.parseLong(last.substring(SecondProcess.COUNT.length()))
            : 0;
    return course.arrivals().count() + there;
  }
}
