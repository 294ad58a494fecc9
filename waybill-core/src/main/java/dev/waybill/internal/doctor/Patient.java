package dev.waybill.internal.doctor;

import dev.waybill.DatabaseException;
import dev.waybill.DatabaseException.Kind;
import dev.waybill.internal.loop.Time;
import dev.waybill.internal.schema.Inventory;
import dev.waybill.internal.schema.SchemaGuard;
import dev.waybill.internal.sql.Database;
import dev.waybill.internal.sql.Dialect;
import dev.waybill.internal.sql.Naming;
import dev.waybill.internal.sql.Query;
import dev.waybill.internal.sql.Retry;
import dev.waybill.internal.sql.Session;
import dev.waybill.internal.sql.Tx;
import dev.waybill.schema.SchemaIncompatibleException;
import dev.waybill.schema.SchemaIncompatibleException.QueryFailed;
import dev.waybill.schema.SchemaOptions;
import dev.waybill.schema.SchemaStatus;
import dev.waybill.schema.SchemaStatus.State;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The database that is examined, on one connection. For one thread. */
final class Patient implements AutoCloseable {
  private static final String STATEMENT_TIMEOUT = "10s";

  private final Database database;
  private final Thresholds thresholds;
  private final Time time;
  private final Inventory expected;
  private final Optional<SchemaIncompatibleException> verdict;
  private Session session;
  private @Nullable Long lockSecondsBefore;
  private @Nullable Map<String, String> tables;

  private Patient(
      Database database,
      Thresholds thresholds,
      Time time,
      Inventory expected,
      Optional<SchemaIncompatibleException> verdict) {
    this.database = database;
    this.thresholds = thresholds;
    this.time = time;
    this.expected = expected;
    this.verdict = verdict;
    this.session = database.session();
  }

  /** Connects, and asks the schema guard first: what should be there depends on its answer. */
  static Patient admit(
      DataSource dataSource, SchemaOptions options, Thresholds thresholds, Time time) {
    Database database =
        Database.open(
            dataSource,
            new Naming(options.prefix(), options.schema()),
            List.of("outbox", "doctor"),
            Retry.never());
    try {
      SchemaStatus status = SchemaGuard.of(dataSource, options).status();
      Set<Long> applied =
          status.migrations().stream()
              .filter(migration -> migration.state() != State.PENDING)
              .map(SchemaStatus.Migration::version)
              .collect(Collectors.toSet());
      Inventory expected = Inventory.ofThisRelease(database.dialect(), applied::contains);
      return new Patient(database, thresholds, time, expected, status.verdict());
    } catch (QueryFailed e) {
      if (e.failure().kind() == Kind.DISCONNECTED) {
        throw e.failure();
      }
      Inventory all = Inventory.ofThisRelease(database.dialect(), version -> true);
      return new Patient(database, thresholds, time, all, Optional.of(e));
    }
  }

  Database database() {
    return database;
  }

  Dialect dialect() {
    return database.dialect();
  }

  Thresholds thresholds() {
    return thresholds;
  }

  Time time() {
    return time;
  }

  /** Why Waybill would not start, if it would not. */
  Optional<SchemaIncompatibleException> verdict() {
    return verdict;
  }

  /** What should be there. */
  Inventory expected() {
    return expected;
  }

  /** A name of the files as people see it in this database. */
  String shown(String nameInFile) {
    return database.naming().rename(nameInFile);
  }

  Set<String> shown(Collection<String> namesInFile) {
    return namesInFile.stream().map(this::shown).collect(Collectors.toSet());
  }

  /** The name as SQL would write it. */
  String quoted(String nameInFile) {
    return dialect().identifier(nameInFile, database.naming());
  }

  /** The schema as SQL would write it. */
  String schema() {
    String schema = database.naming().schema();
    return schema == null ? "" : dialect().quote(schema);
  }

  /** Reads on a snapshot of its own; the database refuses any write. */
  <T> T read(Function<Tx, T> work) {
    return session()
        .snapshot(
            tx -> {
              if (dialect() == Dialect.POSTGRES) {
                tx.sql("doctor_patience")
                    .set("locks", thresholds.patience().toMillis() + "ms")
                    .set("statements", STATEMENT_TIMEOUT)
                    .execute();
              }
              return work.apply(tx);
            });
  }

  /** Runs one statement that reads, as a transaction by itself where the driver can do that. */
  <T> T readAlone(Function<Tx, T> statement) {
    return session().single(statement);
  }

  /** Tries statements that could write, and takes all of it back. */
  <T> T rehearse(Function<Tx, T> work) {
    return session().rehearse(work);
  }

  private Session session() {
    if (!session.isOpen()) {
      session = database.session();
      lockSecondsBefore = null;
    }
    if (lockSecondsBefore == null && isMySql()) {
      lockSecondsBefore =
          session.snapshot(
              tx -> {
                long before = tx.sql("doctor_lock_wait_before").one(row -> row.number("seconds"));
                patience(tx, Math.max(1, thresholds.patience().toSeconds()));
                return before;
              });
    }
    return session;
  }

  /** There it belongs to the session, not to the transaction: it is put right in the end. */
  private static void patience(Tx tx, long seconds) {
    tx.sql("doctor_lock_wait").set("seconds", seconds).execute();
  }

  boolean isMySql() {
    return dialect() == Dialect.MYSQL || dialect() == Dialect.MARIADB;
  }

  /** The tables that should be there and are, by their names in the files, with their engine. */
  Map<String, String> tables() {
    Map<String, String> known = tables;
    if (known == null) {
      known = expected.tables().isEmpty() ? Map.of() : findTables();
      tables = known;
    }
    return known;
  }

  private Map<String, String> findTables() {
    Map<String, String> engines = new HashMap<>();
    read(
        tx ->
            about(tx.sql("doctor_tables"), expected.tables())
                .list(row -> engines.put(folded(row.text("name")), row.text("engine"))));
    Map<String, String> found = new LinkedHashMap<>();
    for (String table : expected.tables()) {
      String engine = engines.get(folded(shown(table)));
      if (engine != null) {
        found.put(table, engine);
      }
    }
    return found;
  }

  /** Binds the schema and the names of some tables. */
  Query about(Query query, Collection<String> namesInFile) {
    query.set("schema", database.naming().schema());
    namesInFile.forEach(name -> query.row(shown(name)));
    return query;
  }

  /** Only PostgreSQL tells names apart that differ in case alone; the others may have folded it. */
  String folded(String name) {
    return dialect() == Dialect.POSTGRES ? name : name.toLowerCase(Locale.ROOT);
  }

  @Override
  public void close() {
    Long before = lockSecondsBefore;
    if (before != null && session.isOpen()) {
      try {
        session.snapshot(
            tx -> {
              patience(tx, before);
              return true;
            });
      } catch (DatabaseException e) {
        session.discard();
      }
    }
    session.close();
  }
}
