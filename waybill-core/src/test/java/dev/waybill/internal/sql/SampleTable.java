package dev.waybill.internal.sql;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.DatabaseException;
import dev.waybill.DatabaseException.Kind;
import dev.waybill.testkit.Fault;
import dev.waybill.testkit.FaultyDataSource;
import dev.waybill.testkit.Injection;
import dev.waybill.testkit.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;

/** A table of one row, and what sessions do to it. */
abstract class SampleTable {
  /** A thread each: the common pool may have only one, and these wait for one another. */
  private static final Executor THREADS = task -> new Thread(task, "test").start();

  final TestDatabase database;
  final Dialect dialect;
  final List<Duration> pauses = new ArrayList<>();

  SampleTable(TestDatabase database) {
    this.database = database.fresh();
    this.dialect = open(this.database.dataSource()).dialect();
  }

  @BeforeEach
  void createTable() throws SQLException {
    database.execute(
        "create table waybill_sample (id integer not null primary key, v integer not null)",
        "insert into waybill_sample values (1, 0)");
  }

  static Database open(DataSource source) {
    return open(source, Retry.never());
  }

  static Database open(DataSource source, Retry retry) {
    return Database.open(source, Naming.standard(), List.of(), retry);
  }

  Retry recording(int attempts, Retry.Pause also) {
    return new Retry(
        attempts,
        Duration.ofMillis(8),
        Duration.ofMillis(20),
        () -> 0.5,
        duration -> {
          pauses.add(duration);
          also.sleep(duration);
        });
  }

  static int set(Tx tx, int value) {
    return tx.query("update waybill_sample set v = :v where id = 1").set("v", value).update();
  }

  static long value(Tx tx) {
    return tx.query("select v from waybill_sample where id = 1").one(row -> row.number("v"));
  }

  long value() {
    return open(database.dataSource()).transact(SampleTable::value);
  }

  static DatabaseException contention() {
    return new DatabaseException(Kind.CONTENTION, "in the way", null);
  }

  void inOtherTransaction(Function<Tx, Integer> work) {
    assertThat(
            CompletableFuture.supplyAsync(() -> open(database.dataSource()).transact(work), THREADS)
                .orTimeout(60, SECONDS)
                .join())
        .isEqualTo(1);
  }

  Injection onCommit(FaultyDataSource faulty) {
    return faulty.on(dialect == Dialect.SQLITE ? Fault.sql("commit"::equals) : Fault.commit(1));
  }
}
