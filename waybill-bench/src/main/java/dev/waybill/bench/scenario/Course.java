package dev.waybill.bench.scenario;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.waybill.bench.contender.Contender;
import dev.waybill.bench.contender.Promise;
import dev.waybill.bench.contender.Stage;
import dev.waybill.bench.load.Arrivals;
import dev.waybill.bench.load.Business;
import dev.waybill.bench.load.Mailroom;
import dev.waybill.bench.load.Verdict;
import dev.waybill.bench.measure.Calls;
import dev.waybill.bench.measure.CountingDataSource;
import dev.waybill.bench.measure.Figures;
import dev.waybill.bench.measure.Metric;
import dev.waybill.bench.measure.Storage;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.TestDatabase;
import java.sql.Connection;
import javax.sql.DataSource;

/** One contender on one new database, from its tables to the verdict. */
public final class Course implements AutoCloseable {
  private static final int WORKERS = 24;
  private static final long PATIENCE_SECONDS = 25;

  private final Trial trial;
  private final TestDatabase database;
  private final Calls calls = new Calls();
  private final HikariDataSource pool;
  private final Contender contender;
  private final Stage stage;
  private final Mailroom mailroom;
  private final Arrivals arrivals;
  private boolean started;

  /** Prepares the database and gets the contender ready to send. */
  public Course(Trial trial, Load load, int capacity) throws Exception {
    this.trial = trial;
    this.database = trial.ground().database();
    this.pool = pool(database, calls, load.producers() + WORKERS);
    this.contender = trial.entry().maker().get();
    this.stage = new Stage(product(), pool, load.keys(), load.producers(), load.pace());
    this.mailroom = new Mailroom(load.keys(), load.bytes());
    this.arrivals = new Arrivals(capacity);
    try (Connection connection = database.connect()) {
      Business.createTable(connection, stage.identity());
    }
    contender.prepare(stage);
    contender.open(stage);
  }

  static HikariDataSource pool(TestDatabase database, Calls calls, int size) {
    DatabaseProduct product = database.product();
    boolean beginCosts = product == DatabaseProduct.MARIADB || product == DatabaseProduct.MYSQL;
    HikariConfig config = new HikariConfig();
    config.setDataSource(CountingDataSource.over(database.dataSource(), calls, beginCosts));
    config.setMaximumPoolSize(size);
    config.setMinimumIdle(Math.min(size, 4));
    if (beginCosts) {
      // Their default locks gaps, and every queue on them is advised to leave it.
      config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
    }
    return new HikariDataSource(config);
  }

  /** Lets the contender deliver, and answers when it began. */
  public long start() throws Exception {
    contender.start(arrivals);
    started = true;
    long now = System.nanoTime();
    return arrivals.count() > 0 ? Math.min(now, arrivals.time(0)) : now;
  }

  /** Waits until everything that was sent has arrived, as long as anything arrives at all. */
  public void awaitAll() throws InterruptedException {
    awaitArrivals(mailroom.written());
  }

  /** Waits until so many have arrived, as long as anything arrives at all. */
  public void awaitArrivals(long expected) throws InterruptedException {
    int before;
    do {
      before = arrivals.count();
    } while (!arrivals.await(expected, PATIENCE_SECONDS) && arrivals.count() > before);
  }

  /** When the last message arrived. */
  public long lastArrival() {
    return arrivals.count() == 0 ? System.nanoTime() : arrivals.time(arrivals.count() - 1);
  }

  /** Stops the contender, notes latencies and verdict, and fails if a promise was broken. */
  public void judge(Figures figures) throws Exception {
    judge(figures, arrivals);
  }

  void judge(Figures figures, Arrivals all) throws Exception {
    stop();
    Verdict verdict = noted(figures, all);
    if (verdict.lost() != 0) {
      throw new BrokenPromise(verdict.lost() + " of " + mailroom.written() + " messages were lost");
    }
    judgeOrder(verdict);
  }

  /**
   * The same while a backlog is still there: enough must have arrived, and who promises order must
   * not have passed by any.
   */
  void judgeFirst(Figures figures, int expected) throws Exception {
    stop();
    Verdict verdict = noted(figures, arrivals);
    long different = arrivals.count() - verdict.duplicates();
    if (different < expected) {
      throw new BrokenPromise("only " + different + " of " + expected + " messages arrived");
    }
    judgeOrder(verdict);
    if (verdict.skipped() > 0 && trial.entry().promise() == Promise.ORDER_PER_KEY) {
      throw new BrokenPromise(verdict.skipped() + " messages were passed by");
    }
  }

  private Verdict noted(Figures figures, Arrivals all) {
    Verdict verdict = Verdict.of(mailroom, all);
    figures.put(Metric.MESSAGES, all.count());
    figures.put(Metric.INVERSIONS, (double) verdict.inversions());
    figures.put(Metric.DUPLICATES, (double) verdict.duplicates());
    return verdict;
  }

  private void judgeOrder(Verdict verdict) {
    if (verdict.inversions() > 0 && trial.entry().promise() == Promise.ORDER_PER_KEY) {
      throw new BrokenPromise(verdict.inversions() + " messages arrived out of order");
    }
  }

  /** Lets the contender deliver no more. */
  void stop() throws Exception {
    if (started) {
      started = false;
      contender.stop();
    }
  }

  @Override
  public void close() {
    try {
      stop();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (Exception e) {
      throw new IllegalStateException("Cannot stop " + trial.entry().name(), e);
    } finally {
      pool.close();
      database.close();
    }
  }

  /** The contender. */
  public Contender contender() {
    return contender;
  }

  /** What is sent. */
  public Mailroom mailroom() {
    return mailroom;
  }

  /** What arrived. */
  public Arrivals arrivals() {
    return arrivals;
  }

  Calls calls() {
    return calls;
  }

  Trial trial() {
    return trial;
  }

  TestDatabase database() {
    return database;
  }

  DatabaseProduct product() {
    return database.product();
  }

  /** The database's storage, seen through connections that are not counted. */
  Storage storage() {
    return new Storage(product(), database.dataSource());
  }

  /** Connections that are not counted. */
  DataSource uncounted() {
    return database.dataSource();
  }
}
