package dev.waybill.chaos;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.waybill.Waybill;
import dev.waybill.WaybillException;
import dev.waybill.outbox.AdmissionLimit;
import dev.waybill.outbox.HeadFailure;
import dev.waybill.outbox.LeaseConfig;
import dev.waybill.outbox.Outbox;
import dev.waybill.outbox.OutboxBuilder;
import dev.waybill.outbox.OutboxProfile;
import dev.waybill.outbox.Partitions;
import dev.waybill.outbox.RetryTuning;
import dev.waybill.testkit.ChildJvm;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.Fault;
import dev.waybill.testkit.Fault.Moment;
import dev.waybill.testkit.FaultyDataSource;
import dev.waybill.testkit.TestDatabase;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

/**
 * A process that produces and delivers. Told {@code hold}, it stops in its next handler for good;
 * told {@code BEFORE} or {@code AFTER}, its next commit loses its connection then; told {@code
 * enough}, it produces no more, and says {@code quiet} when all it produced is committed or not.
 */
final class WorkerMain {
  static final String PARCELS = "parcels";
  static final String LEDGER = "ledger";
  static final int PARCEL_PARTITIONS = 8;
  static final int LEDGER_PARTITIONS = 4;

  /** Short, so that its end is seen. */
  static final LeaseConfig LEASE = new LeaseConfig(Duration.ofSeconds(1), Duration.ofMillis(200));

  private static final int PRODUCERS = 2;

  private WorkerMain() {}

  /** The entry: product, URL, user, password, name, file of its history, seed. */
  public static void main(String[] args) throws Exception {
    DatabaseProduct product = DatabaseProduct.valueOf(args[0]);
    FaultyDataSource source =
        new FaultyDataSource(
            TestDatabase.existing(product, args[1], args[2], args[3]).dataSource());
    Handlers handlers = new Handlers(new Diary(Path.of(args[5])));
    Producers producers = new Producers(args[4], handlers.diary());
    ChildJvm.exitWithParent(
        line -> {
          switch (line) {
            case "hold" -> handlers.hold();
            case "enough" -> producers.enough(() -> System.out.println("quiet"));
            default -> cutACommit(source, product, Moment.valueOf(line));
          }
        });
    Outbox outbox = started(source, handlers).outbox();
    System.out.println("ready");
    Random random = new Random(Long.parseLong(args[6]));
    for (int i = 0; i < PRODUCERS; i++) {
      producers.start(outbox, random.nextLong());
    }
    new CountDownLatch(1).await();
  }

  /**
   * Without a database it does not start, and is started again, as a supervisor would do it: with
   * another pool, too. One whose first connection died too early never makes a second one.
   */
  private static Waybill started(FaultyDataSource source, Handlers handlers) {
    while (true) {
      HikariDataSource pool = pool(source);
      try {
        return Waybill.builder(pool)
            .listener(handlers)
            .outbox(outbox -> setUp(outbox, handlers))
            .start();
      } catch (WaybillException unreachable) {
        pool.close();
        LockSupport.parkNanos(Duration.ofMillis(100).toNanos());
      }
    }
  }

  /** What the source remembers of earlier calls goes too: it would grow for hours. */
  private static void cutACommit(FaultyDataSource source, DatabaseProduct product, Moment moment) {
    source.reset();
    Fault commit =
        product == DatabaseProduct.SQLITE ? Fault.sql("commit"::equals) : Fault.commit(1);
    source.on(commit).cut(moment);
  }

  private static HikariDataSource pool(FaultyDataSource source) {
    HikariConfig config = new HikariConfig();
    config.setDataSource(source);
    config.setMaximumPoolSize(12);
    config.setConnectionTimeout(2_000);
    // The server may be down when the process starts.
    config.setInitializationFailTimeout(-1);
    return new HikariDataSource(config);
  }

  private static void setUp(OutboxBuilder outbox, Handlers handlers) {
    outbox
        .profile(
            OutboxProfile.highThroughput()
                .withReconcileInterval(Duration.ofSeconds(2))
                .withRetry(new RetryTuning(Duration.ofMillis(50), Duration.ofSeconds(1), 2)))
        .queue(PARCELS, Partitions.of(PARCEL_PARTITIONS))
        .admission(AdmissionLimit.messages(20_000))
        .lease(LEASE)
        .batchLeased(handlers::parcels)
        .queue(LEDGER, Partitions.of(LEDGER_PARTITIONS))
        .admission(AdmissionLimit.messages(2_000))
        .onFailure(HeadFailure.parkKey().withLimit(50))
        .transactional(handlers::book);
  }
}
