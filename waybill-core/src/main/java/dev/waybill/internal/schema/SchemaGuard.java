package dev.waybill.internal.schema;

import dev.waybill.DatabaseException;
import dev.waybill.internal.loop.Time;
import dev.waybill.internal.sql.Dialect;
import dev.waybill.internal.sql.Naming;
import dev.waybill.internal.sql.Statements;
import dev.waybill.internal.sql.Tx;
import dev.waybill.internal.store.SchemaStore;
import dev.waybill.internal.store.SchemaStore.HistoryRow;
import dev.waybill.internal.store.SchemaStore.Unit;
import dev.waybill.schema.SchemaIncompatibleException;
import dev.waybill.schema.SchemaIncompatibleException.DataNotReady;
import dev.waybill.schema.SchemaIncompatibleException.HistoryMissing;
import dev.waybill.schema.SchemaIncompatibleException.QueryFailed;
import dev.waybill.schema.SchemaOptions;
import dev.waybill.schema.SchemaPlan;
import dev.waybill.schema.SchemaStatus;
import dev.waybill.schema.SchemaStatus.State;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Migrates, checks, plans and reports; see the package for the order of things. */
public final class SchemaGuard {
  private static final Logger log = LoggerFactory.getLogger(SchemaGuard.class);

  private final SchemaStore store;
  private final Migrations migrations;
  private final SchemaOptions options;

  private SchemaGuard(SchemaStore store, Migrations migrations, SchemaOptions options) {
    this.store = store;
    this.migrations = migrations;
    this.options = options;
  }

  /** The guard of this release. */
  public static SchemaGuard of(DataSource dataSource, SchemaOptions options) {
    return of(dataSource, options, Migrations::ofThisRelease, Time.system());
  }

  static SchemaGuard of(
      DataSource dataSource,
      SchemaOptions options,
      Function<Dialect, Migrations> bundle,
      Time time) {
    Naming naming = new Naming(options.prefix(), options.schema());
    SchemaStore store =
        asking("Opening the database", () -> SchemaStore.open(dataSource, naming, time));
    return new SchemaGuard(store, bundle.apply(store.dialect()), options);
  }

  /** Applies what is missing, then completes the cutovers. Gives the versions it applied. */
  public List<Long> migrate() {
    List<Long> applied =
        asking("Migrating", () -> store.exclusively(options.lockTimeout(), this::migrateUnderLock));
    if (!migrations.cutovers().isEmpty()) {
      asking("Completing cutovers", this::completeCutovers);
    }
    return applied;
  }

  private List<Long> migrateUnderLock(Unit unit) {
    Verdict verdict =
        unit.run(
            tx -> {
              if (!store.historyExists(tx)) {
                store.createHistory(tx);
              }
              return new Verdict(migrations, store.history(tx), store.fence(tx));
            });
    throwIfPresent(verdict.obstacle(store.historyTable()));
    List<Long> applied = new ArrayList<>();
    for (Migration migration : verdict.pending()) {
      asking(
          "Migration " + migration.version() + " (" + migration.description() + ")",
          () -> {
            store.apply(unit, step(migration));
            return true;
          });
      log.info("Applied migration {} ({})", migration.version(), migration.description());
      applied.add(migration.version());
    }
    return applied;
  }

  private SchemaStore.Step step(Migration migration) {
    return new SchemaStore.Step(
        migration.version(),
        migration.description(),
        migration.checksum(),
        migration.fenced(),
        renamed(migration.statements()),
        LibraryVersion.current());
  }

  private List<String> renamed(List<String> statements) {
    return statements.stream()
        .map(statement -> Statements.rename(statement, store.dialect(), store.naming()))
        .toList();
  }

  private boolean completeCutovers() {
    for (Cutover cutover : migrations.cutovers()) {
      if (store.transact(tx -> validated(tx, cutover))) {
        continue;
      }
      throwIfPresent(store.transact(tx -> notReady(tx, cutover)));
      for (String statement : renamed(cutover.validate())) {
        store.transact(
            tx -> {
              tx.script(statement);
              return true;
            });
      }
      log.info("Completed cutover {}", cutover.name());
    }
    return true;
  }

  private boolean validated(Tx tx, Cutover cutover) {
    return tx.query(cutover.validated()).one(row -> row.flag("validated"));
  }

  private Optional<SchemaIncompatibleException> notReady(Tx tx, Cutover cutover) {
    Map<String, Long> counts = new LinkedHashMap<>();
    tx.query(cutover.legacy()).list(row -> counts.put(row.text("what"), row.number("n")));
    counts.values().removeIf(n -> n == 0);
    return counts.isEmpty()
        ? Optional.empty()
        : Optional.of(new DataNotReady(cutover.name(), counts));
  }

  /** Throws the verdict if this release must not run here. Reads only, on one snapshot. */
  public void check() {
    throwIfPresent(asking("Checking the schema", () -> store.reading(this::judge)));
  }

  private Optional<SchemaIncompatibleException> judge(Tx tx) {
    if (!store.historyExists(tx)) {
      return Optional.of(new HistoryMissing(store.historyTable(), migrations.first()));
    }
    Verdict verdict = new Verdict(migrations, store.history(tx), store.fence(tx));
    return verdict.obstacle(store.historyTable()).or(verdict::tooOld).or(() -> unreadyCutover(tx));
  }

  private Optional<SchemaIncompatibleException> unreadyCutover(Tx tx) {
    return migrations.cutovers().stream()
        .filter(cutover -> !validated(tx, cutover))
        .map(cutover -> notReady(tx, cutover))
        .flatMap(Optional::stream)
        .findFirst();
  }

  /** What {@link #migrate} would do; throws what it would throw before it does anything. */
  public SchemaPlan plan() {
    return asking(
        "Planning",
        () ->
            store.reading(
                tx -> {
                  Verdict verdict = verdict(tx);
                  throwIfPresent(verdict.obstacle(store.historyTable()));
                  return new SchemaPlan(
                      store.dialect().kind(), verdict.pending().stream().map(this::plan).toList());
                }));
  }

  private Verdict verdict(Tx tx) {
    List<HistoryRow> history = store.historyExists(tx) ? store.history(tx) : List.of();
    return new Verdict(migrations, history, store.fence(tx));
  }

  private SchemaPlan.Step plan(Migration migration) {
    return new SchemaPlan.Step(
        migration.version(),
        migration.description(),
        migration.fenced(),
        renamed(migration.statements()));
  }

  /** Everything known, without throwing a verdict. */
  public SchemaStatus status() {
    return asking(
        "Reading the schema's status",
        () ->
            store.reading(
                tx -> {
                  List<HistoryRow> history =
                      store.historyExists(tx) ? store.history(tx) : List.of();
                  return new SchemaStatus(
                      store.dialect().kind(), judge(tx), List.copyOf(states(history).values()));
                }));
  }

  private Map<Long, SchemaStatus.Migration> states(List<HistoryRow> history) {
    Map<Long, SchemaStatus.Migration> states = new TreeMap<>();
    for (Migration migration : migrations.all()) {
      states.put(
          migration.version(),
          new SchemaStatus.Migration(
              migration.version(), migration.description(), State.PENDING, null, null, null));
    }
    for (HistoryRow row : history) {
      states.put(
          row.version(),
          new SchemaStatus.Migration(
              row.version(),
              row.description(),
              state(row),
              row.appliedAt(),
              row.duration(),
              row.libraryVersion()));
    }
    return states;
  }

  private State state(HistoryRow row) {
    Optional<Migration> ours = migrations.find(row.version());
    if (ours.isEmpty()) {
      return State.UNKNOWN;
    }
    if (!ours.get().checksum().equals(row.checksum())) {
      return State.CONFLICT;
    }
    return row.success() ? State.APPLIED : State.DIRTY;
  }

  private static void throwIfPresent(Optional<SchemaIncompatibleException> verdict) {
    if (verdict.isPresent()) {
      throw verdict.get();
    }
  }

  private static <T> T asking(String doing, Supplier<T> work) {
    try {
      return work.get();
    } catch (DatabaseException e) {
      throw new QueryFailed(doing, e);
    }
  }
}
