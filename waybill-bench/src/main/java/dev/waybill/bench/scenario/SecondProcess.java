package dev.waybill.bench.scenario;

import com.zaxxer.hikari.HikariDataSource;
import dev.waybill.bench.contender.Contender;
import dev.waybill.bench.contender.Contenders;
import dev.waybill.bench.contender.Stage;
import dev.waybill.bench.load.ArrivalLog;
import dev.waybill.bench.load.Arrivals;
import dev.waybill.bench.measure.Calls;
import dev.waybill.testkit.ChildJvm;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.TestDatabase;
import java.nio.file.Path;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A process that only delivers, from the database of another one. */
public final class SecondProcess {
  static final String READY = "ready";
  static final String COUNT = "count ";
  static final String STOP = "stop ";
  static final String STOPPED = "stopped";
  private static final int WORKERS = 24;
  private static final int ROOM = 4_000_000;

  private SecondProcess() {}

  static ChildJvm start(Course course, Load load) {
    TestDatabase database = course.database();
    return ChildJvm.of(SecondProcess.class)
        .args(course.trial().entry().name(), database.product().name(), database.url())
        .args(database.user(), database.password(), Integer.toString(load.keys()))
        .start();
  }

  /** Delivers until it is told to stop. */
  public static void main(String... args) throws Exception {
    BlockingQueue<String> told = new ArrayBlockingQueue<>(1);
    ChildJvm.exitWithParent(told::add);
    DatabaseProduct product = DatabaseProduct.valueOf(args[1]);
    TestDatabase database = TestDatabase.existing(product, args[2], args[3], args[4]);
    Arrivals arrivals = new Arrivals(ROOM);
    Calls calls = new Calls();
    try (HikariDataSource pool = Course.pool(database, calls, WORKERS)) {
      Contender contender = Contenders.named(args[0]).get(0).maker().get();
      contender.open(new Stage(product, pool, Integer.parseInt(args[5]), 1, Stage.Pace.THROUGHPUT));
      contender.start(arrivals);
      System.out.println(READY);
      String order = reportUntilTold(told, arrivals, calls);
      contender.stop();
      ArrivalLog.write(arrivals, Path.of(order.substring(STOP.length())));
      System.out.println(STOPPED);
    }
    System.exit(0);
  }

  private static String reportUntilTold(BlockingQueue<String> told, Arrivals arrivals, Calls calls)
      throws InterruptedException {
    String reported = "";
    while (true) {
      @Nullable String order = told.poll(20, TimeUnit.MILLISECONDS);
      if (order != null) {
        return order;
      }
      Calls.Count called = calls.count();
      String now =
          String.join(
              " ",
              Integer.toString(arrivals.count()),
              Long.toString(called.statements()),
              Long.toString(called.roundTrips()),
              Long.toString(called.commits()));
      if (!now.equals(reported)) {
        reported = now;
        System.out.println(COUNT + reported);
      }
    }
  }
}
