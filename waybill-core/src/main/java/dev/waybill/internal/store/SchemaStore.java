package dev.waybill.internal.store;

import dev.waybill.internal.loop.Time;
import dev.waybill.internal.sql.Database;
import dev.waybill.internal.sql.Dialect;
import dev.waybill.internal.sql.Naming;
import dev.waybill.internal.sql.Retry;
import dev.waybill.internal.sql.Row;
import dev.waybill.internal.sql.Session;
import dev.waybill.internal.sql.Tx;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import javax.sql.DataSource;

/** The history, the fence and the lock of the schema guard. This shape is PostgreSQL's. */
public class SchemaStore {
  private static final String HISTORY = "waybill_schema_history";
  private static final String FENCE = "waybill_schema_fence";

  /** A row of the history. */
  public record HistoryRow(
      long version,
      String description,
      String checksum,
      boolean success,
      int statement,
      Instant appliedAt,
      Duration duration,
      String libraryVersion) {

    static HistoryRow read(Row row) throws SQLException {
      return new HistoryRow(
          row.number("version"),
          row.text("description"),
          row.text("checksum").strip(),
          row.flag("success"),
          (int) row.number("statement"),
          row.time("applied_at"),
          Duration.ofMillis(row.number("duration_millis")),
          row.text("library_version"));
    }
  }

  /** A row of the fence. */
  public record FenceRow(long version, String libraryVersion) {}

  /** A migration, as far as the store needs to know it. */
  public record Step(
      long version,
      String description,
      String checksum,
      boolean fenced,
      List<String> statements,
      String libraryVersion) {}

  /** Runs a piece of work in a transaction, while the lock is held. */
  public interface Unit {
    /** Runs it and commits. */
    <T> T run(Function<Tx, T> work);
  }

  private final Database database;
  private final Time time;

  SchemaStore(Database database, Time time) {
    this.database = database;
    this.time = time;
  }

  /** Connects and picks the shape that fits the database. */
  public static SchemaStore open(DataSource dataSource, Naming naming, Time time) {
    Database database =
        Database.open(dataSource, naming, List.of("schema"), Retry.standard(time::sleep));
    return switch (database.dialect()) {
      case POSTGRES -> new SchemaStore(database, time);
      case MYSQL, MARIADB -> new MySqlSchemaStore(database, time);
      case SQLITE -> new SqliteSchemaStore(database, time);
    };
  }

  /** What the database speaks. */
  public final Dialect dialect() {
    return database.dialect();
  }

  /** The names in use. */
  public final Naming naming() {
    return database.naming();
  }

  /** The history table as SQL writes it. */
  public final String historyTable() {
    return dialect().identifier(HISTORY, naming());
  }

  final Database database() {
    return database;
  }

  final Time time() {
    return time;
  }

  /** Runs work that only reads, on one snapshot. */
  public final <T> T reading(Function<Tx, T> work) {
    try (Session session = database.session()) {
      return session.snapshot(work);
    }
  }

  /** Runs work in a transaction of its own, without the lock. */
  public final <T> T transact(Function<Tx, T> work) {
    return database.transact(work);
  }

  /** Whether anybody ever migrated here. */
  public final boolean historyExists(Tx tx) {
    return tableExists(tx, HISTORY);
  }

  private boolean tableExists(Tx tx, String nameInFile) {
    return tx.sql("schema_history_exists")
        .set("schema", naming().schema())
        .set("table", naming().rename(nameInFile))
        .one(row -> row.flag("found"));
  }

  /** Makes the history table if it is missing. */
  public final void createHistory(Tx tx) {
    tx.sql("schema_history_create").execute();
  }

  /** The history by version. */
  public final List<HistoryRow> history(Tx tx) {
    return tx.sql("schema_history_rows").list(HistoryRow::read);
  }

  /** The fence by version; none if there is no such table yet. */
  public final List<FenceRow> fence(Tx tx) {
    if (!tableExists(tx, FENCE)) {
      return List.of();
    }
    return tx.sql("schema_fence_rows")
        .list(row -> new FenceRow(row.number("version"), row.text("library_version")));
  }

  /** Applies a migration and records it, in one transaction. */
  public void apply(Unit unit, Step step) {
    long began = time.nanos();
    unit.run(
        tx -> {
          step.statements().forEach(tx::script);
          insertHistory(tx, step, true, step.statements().size(), millisSince(began));
          recordFence(tx, step);
          return true;
        });
  }

  final long millisSince(long nanos) {
    return Duration.ofNanos(time.nanos() - nanos).toMillis();
  }

  final void recordFence(Tx tx, Step step) {
    if (step.fenced()) {
      tx.sql("schema_fence_insert")
          .set("version", step.version())
          .set("library_version", step.libraryVersion())
          .update();
    }
  }

  final void insertHistory(Tx tx, Step step, boolean success, int statement, long millis) {
    tx.sql("schema_history_insert")
        .set("version", step.version())
        .set("description", step.description())
        .set("checksum", step.checksum())
        .set("success", success)
        .set("statement", statement)
        .set("duration_millis", millis)
        .set("library_version", step.libraryVersion())
        .update();
  }

  /** Runs the work while no other process migrates, on the session that holds the lock. */
  public <T> T exclusively(Duration timeout, Function<Unit, T> work) {
    try (SchemaLock lock = new SchemaLock(database.session(), lockKey(), time)) {
      lock.acquire(timeout);
      T result;
      try {
        result = work.apply(lock::run);
      } catch (RuntimeException | Error e) {
        lock.releaseAfter(e);
        throw e;
      }
      lock.release();
      return result;
    }
  }

  /** What the lock is called in this database. */
  Object lockKey() {
    return ByteBuffer.wrap(lockDigest()).getLong();
  }

  /**
   * Of the table that the lock is about. Servers that fold case know one table by several names, so
   * case does not count: at worst two installations wait for each other.
   */
  final byte[] lockDigest() {
    String about = "waybill migration of " + historyTable().toLowerCase(Locale.ROOT);
    try {
      return MessageDigest.getInstance("SHA-256").digest(about.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every JVM has SHA-256", e);
    }
  }
}
