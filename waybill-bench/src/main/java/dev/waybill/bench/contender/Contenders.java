package dev.waybill.bench.contender;

import static dev.waybill.bench.contender.Entry.Kind.LIBRARY;
import static dev.waybill.bench.contender.Entry.Kind.WAYBILL;
import static dev.waybill.bench.contender.Entry.Kind.YARDSTICK;
import static dev.waybill.bench.contender.Promise.NO_ORDER;
import static dev.waybill.bench.contender.Promise.ORDER_PER_KEY;

import dev.waybill.testkit.DatabaseProduct;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** Everybody who takes part. */
public final class Contenders {
  private static final Set<DatabaseProduct> ALL = EnumSet.allOf(DatabaseProduct.class);
  private static final Set<DatabaseProduct> SERVERS =
      EnumSet.complementOf(EnumSet.of(DatabaseProduct.SQLITE));
  private static final Set<DatabaseProduct> POSTGRES = EnumSet.of(DatabaseProduct.POSTGRESQL);
  private static final Set<DatabaseProduct> MARIADB_TOO =
      EnumSet.of(DatabaseProduct.POSTGRESQL, DatabaseProduct.MARIADB);
  private static final Set<DatabaseProduct> MYSQL_TOO =
      EnumSet.of(DatabaseProduct.POSTGRESQL, DatabaseProduct.MYSQL);

  /** Waybill where the scenario is about jobs, and only there. */
  public static final String JOBS = "waybill-jobs";

  private static final List<Entry> ENTRIES =
      List.of(
          new Entry(
              "bare",
              "the business transaction alone",
              YARDSTICK,
              NO_ORDER,
              true,
              ALL,
              6_000,
              Bare::new),
          new Entry(
              "raw-limit",
              "batched insert, batched read, one cursor",
              YARDSTICK,
              ORDER_PER_KEY,
              true,
              ALL,
              300_000,
              RawLimit::new),
          new Entry(
              "hand-unordered",
              "hand-written, SKIP LOCKED, batches of 100",
              YARDSTICK,
              NO_ORDER,
              true,
              ALL,
              60_000,
              HandWrittenUnordered::new),
          new Entry(
              "hand-ordered",
              "hand-written, a lock per lane, batches of 100",
              YARDSTICK,
              ORDER_PER_KEY,
              true,
              ALL,
              30_000,
              HandWrittenOrdered::new),
          new Entry(
              "reference-shape",
              "the reference's tables and statements",
              YARDSTICK,
              ORDER_PER_KEY,
              true,
              SERVERS,
              10_000,
              ReferenceShape::new),
          new Entry(
              "waybill-leased",
              "Waybill, leased handler",
              WAYBILL,
              ORDER_PER_KEY,
              true,
              ALL,
              50_000,
              () -> new WaybillContender(true)),
          new Entry(
              "waybill-transactional",
              "Waybill, transactional handler",
              WAYBILL,
              ORDER_PER_KEY,
              true,
              ALL,
              20_000,
              () -> new WaybillContender(false)),
          new Entry(JOBS, "Waybill, jobs", WAYBILL, NO_ORDER, true, ALL, 5_000, WaybillJobs::new),
          new Entry(
              "gruelbox",
              "gruelbox transaction-outbox 4.2.268",
              LIBRARY,
              NO_ORDER,
              true,
              MYSQL_TOO,
              1_500,
              Gruelbox::new),
          new Entry(
              "db-scheduler-fetch",
              "db-scheduler 16.12.0, fetch",
              LIBRARY,
              NO_ORDER,
              true,
              ALL,
              1_500,
              () -> new DbScheduler(false)),
          new Entry(
              "db-scheduler-lock",
              "db-scheduler 16.12.0, lock-and-fetch",
              LIBRARY,
              NO_ORDER,
              true,
              MYSQL_TOO,
              3_500,
              () -> new DbScheduler(true)),
          new Entry(
              "jobrunr",
              "JobRunr 8.7.0, open source",
              LIBRARY,
              NO_ORDER,
              false,
              ALL,
              500,
              JobRunrContender::new),
          new Entry(
              "quartz",
              "Quartz 2.5.2, JDBC store",
              LIBRARY,
              NO_ORDER,
              false,
              SERVERS,
              150,
              Quartz::new),
          new Entry(
              "dbos",
              "DBOS transact 1.1.0-m6, queue",
              LIBRARY,
              NO_ORDER,
              false,
              POSTGRES,
              400,
              Dbos::new),
          new Entry(
              "namastack",
              "namastack-outbox 1.6.0",
              LIBRARY,
              ORDER_PER_KEY,
              true,
              MARIADB_TOO,
              1_500,
              Namastack::new),
          new Entry(
              "modulith",
              "Spring Modulith 2.1.1, event registry",
              LIBRARY,
              NO_ORDER,
              true,
              POSTGRES,
              400,
              Modulith::new),
          Entry.ofFlows(
              "waybill-workflows",
              "Waybill, every step a job",
              WAYBILL,
              true,
              ALL,
              WaybillFlows::new),
          Entry.ofFlows(
              "dbos-steps",
              "DBOS transact 1.1.0-m6, steps of one function, one after the other",
              LIBRARY,
              false,
              POSTGRES,
              () -> new DbosFlows(false)),
          Entry.ofFlows(
              "dbos-workflows",
              "DBOS transact 1.1.0-m6, what is side by side as workflows on a queue",
              LIBRARY,
              false,
              POSTGRES,
              () -> new DbosFlows(true)));

  private Contenders() {}

  /** All of them. */
  public static List<Entry> all() {
    return ENTRIES;
  }

  /** Those whose name begins so: "waybill" means both of Waybill's. */
  public static List<Entry> named(String name) {
    List<Entry> found = ENTRIES.stream().filter(each -> each.name().startsWith(name)).toList();
    if (found.isEmpty()) {
      throw new IllegalArgumentException(
          "No contender is called "
              + name
              + "; there are "
              + String.join(", ", ENTRIES.stream().map(Entry::name).toList()));
    }
    return found;
  }
}
