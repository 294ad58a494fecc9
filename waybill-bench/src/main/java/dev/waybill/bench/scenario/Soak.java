package dev.waybill.bench.scenario;

import dev.waybill.bench.measure.Figures;
import dev.waybill.bench.measure.Figures.Sample;
import dev.waybill.bench.measure.Metric;
import dev.waybill.bench.measure.Storage;
import dev.waybill.testkit.DatabaseProduct;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * A long run while another transaction keeps its snapshot, so that nothing which is deleted can be
 * removed: that is where queues in databases die.
 */
final class Soak {
  private static final double NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final int ROOM = 20_000_000;
  private static final int SAMPLES = 120;

  private Soak() {}

  static Figures measured(Trial trial, Load load) throws Exception {
    double seconds = trial.scale().soakSeconds();
    Figures figures = new Figures();
    int room = (int) Math.min(ROOM, trial.entry().rate() * seconds * 3 + 100_000);
    try (Course course = new Course(trial, load, room)) {
      course.start();
      WarmUp.of(course, load);
      int warm = course.arrivals().count();
      Lap lap = Lap.begin(course);
      try (Connection holder = course.uncounted().getConnection()) {
        hold(holder, course.product());
        var executor = Executors.newSingleThreadExecutor();
        try {
          var sending = CompletableFuture.runAsync(() -> sustain(course, load, seconds), executor);
          sample(course, figures, seconds, sending);
          sending.join();
        } finally {
          executor.shutdownNow();
        }
        course.awaitAll();
        Storage.Look end = course.storage().look();
        figures.put(Metric.TABLE_BYTES_END, (double) end.tableBytes());
        figures.put(Metric.DEAD_ROWS_END, (double) end.deadRows());
        holder.rollback();
      }
      int count = course.arrivals().count() - warm;
      lap.end(figures, Math.max(1, count));
      figures.put(Metric.THROUGHPUT, count / seconds);
      figures.put(Metric.LAST_TO_FIRST, lastToFirst(figures.series()));
      course.judge(figures);
    }
    return figures;
  }

  private static void sustain(Course course, Load load, double seconds) {
    try {
      new Producers(course, load).sustain(seconds);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private static void hold(Connection holder, DatabaseProduct product) throws SQLException {
    holder.setAutoCommit(false);
    if (product != DatabaseProduct.SQLITE) {
      holder.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      try (Statement statement = holder.createStatement()) {
        statement.execute("select count(*) from customer_order");
      }
    }
  }

  private static void sample(
      Course course, Figures figures, double seconds, CompletableFuture<?> sending)
      throws Exception {
    long begin = System.nanoTime();
    long interval = (long) (seconds / SAMPLES * NANOS);
    int before = course.arrivals().count();
    long last = begin;
    while (!sending.isDone()) {
      TimeUnit.NANOSECONDS.sleep(Math.max(interval, TimeUnit.MILLISECONDS.toNanos(200)));
      long now = System.nanoTime();
      int count = course.arrivals().count();
      Storage.Look look = course.storage().look();
      figures.sample(
          new Sample(
              (now - begin) / NANOS,
              (count - before) / ((now - last) / NANOS),
              look.tableBytes(),
              look.deadRows()));
      before = count;
      last = now;
    }
  }

  /** The rate of the last tenth of the run against that of the first. */
  private static double lastToFirst(List<Sample> series) {
    int tenth = Math.max(1, series.size() / 10);
    double first = mean(series.subList(0, Math.min(tenth, series.size())));
    double last = mean(series.subList(Math.max(0, series.size() - tenth), series.size()));
    return first == 0 ? 0 : last / first;
  }

  private static double mean(List<Sample> samples) {
    return samples.stream().mapToDouble(Sample::rate).average().orElse(0);
  }
}
