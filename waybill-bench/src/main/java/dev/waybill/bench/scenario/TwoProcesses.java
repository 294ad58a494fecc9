package dev.waybill.bench.scenario;

import dev.waybill.bench.load.ArrivalLog;
import dev.waybill.bench.load.Arrivals;
import dev.waybill.bench.measure.Calls;
import dev.waybill.bench.measure.Figures;
import dev.waybill.bench.measure.JvmCpu;
import dev.waybill.bench.measure.Metric;
import dev.waybill.bench.measure.ServerCpu;
import dev.waybill.testkit.ChildJvm;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
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
      Lap lap = Lap.begin(gauges(course, other));
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

  /** The second JVM's time is the contender's own, and so are its statements. */
  private static Gauges gauges(Course course, ChildJvm other) {
    ServerCpu second = new ServerCpu(other.pid());
    return new Gauges(
        course.trial(),
        course.product(),
        () -> course.calls().count().plus(called(other)),
        course.storage(),
        () -> JvmCpu.micros() + second.micros());
  }

  private static long arrived(Course course, ChildJvm other) {
    return course.arrivals().count() + reported(other)[0];
  }

  private static Calls.Count called(ChildJvm other) {
    long[] numbers = reported(other);
    return new Calls.Count(numbers[1], numbers[2], numbers[3]);
  }

  /** Arrivals, statements, round trips and commits of the second process, some moments ago. */
  private static long[] reported(ChildJvm other) {
    List<String> lines = other.lines();
    String last = lines.isEmpty() ? "" : lines.get(lines.size() - 1);
    return last.startsWith(SecondProcess.COUNT)
        ? Arrays.stream(last.substring(SecondProcess.COUNT.length()).split(" ", -1))
            .mapToLong(Long::parseLong)
            .toArray()
        : new long[4];
  }
}
