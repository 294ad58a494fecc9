package dev.waybill.internal.schema;

import dev.waybill.internal.loop.Time;
import dev.waybill.internal.sql.Dialect;
import dev.waybill.internal.sql.Naming;
import dev.waybill.internal.sql.Tx;
import dev.waybill.internal.store.SchemaStore;
import dev.waybill.internal.store.SchemaStore.HistoryRow;
import dev.waybill.internal.store.SchemaStore.Unit;
import dev.waybill.schema.SchemaIncompatibleException;
import dev.waybill.schema.SchemaIncompatibleException.HistoryMissing;
import dev.waybill.schema.SchemaOptions;
import dev.waybill.schema.SchemaPlan;
import dev.waybill.schema.SchemaStatus;
import dev.waybill.schema.SchemaStatus.State;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Migrates, checks, plans and reports; see the package for the order of things. */
public final class SchemaGuard {
  private static final Logger log = LoggerFactory.getLogger(SchemaGuard.class);

  private final SchemaStore store;
  private final Migrations migrations;
  private final SchemaOptions options;
  private final Names names;
  private final Cutovers cutovers;

  private SchemaGuard(SchemaStore store, Migrations migrations, SchemaOptions options) {
    this.store = store;
    this.migrations = migrations;
    this.options = options;
    this.names = new Names(store.dialect(), store.naming());
    this.cutovers = new Cutovers(store, migrations.cutovers(), names);
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
        Asking.of("Opening the database", () -> SchemaStore.open(dataSource, naming, time));
    return new SchemaGuard(store, bundle.apply(store.dialect()), options);
  }

  /** Applies what is missing, then completes the cutovers. Gives the versions it applied. */
  public List<Long> migrate() {
    List<Long> applied =
        Asking.of(
            "Migrating", () -> store.exclusively(options.lockTimeout(), this::migrateUnderLock));
    if (!applied.isEmpty()) {
      log.info("Applied migrations {} to {}", applied, store.historyTable());
    }
    cutovers.complete();
    return applied;
  }

  private List<Long> migrateUnderLock(Unit unit) {
    Verdict verdict = Asking.of("Reading the history", () -> unit.run(this::begin));
    throwIfPresent(verdict.obstacle(store.historyTable()));
    List<Long> applied = new ArrayList<>();
    for (Migration migration : verdict.pending()) {
      String title = "Migration " + migration.version() + " (" + migration.description() + ")";
      log.info("{} begins", title);
      Asking.of(
          title,
          () -> {
            store.apply(unit, step(migration));
            return true;
          });
      applied.add(migration.version());
    }
    return applied;
  }

  private Verdict begin(Tx tx) {
    if (!store.historyExists(tx)) {
      store.createHistory(tx);
    }
    return verdict(tx);
  }

  private SchemaStore.Step step(Migration migration) {
    return new SchemaStore.Step(
        migration.version(),
        migration.description(),
        migration.checksum(),
        migration.fenced(),
        names.in(migration.statements()),
        LibraryVersion.current());
  }

  /** Throws the verdict if this release must not run here. Reads only, on one snapshot. */
  public void check() {
    throwIfPresent(Asking.of("Checking the schema", () -> store.reading(this::judge)));
  }

  private Optional<SchemaIncompatibleException> judge(Tx tx) {
    if (!store.historyExists(tx)) {
      return Optional.of(new HistoryMissing(store.historyTable(), migrations.first()));
    }
    Verdict verdict = verdict(tx);
    return verdict
        .obstacle(store.historyTable())
        .or(verdict::tooOld)
        .or(() -> cutovers.notReady(tx));
  }

  /** What {@link #migrate} would do; throws what it would throw before it does anything. */
  public SchemaPlan plan() {
    return Asking.of("Planning", () -> store.reading(this::plan));
  }

  private SchemaPlan plan(Tx tx) {
    Verdict verdict = verdict(tx);
    throwIfPresent(verdict.obstacle(store.historyTable()));
    List<Migration> pending = verdict.pending();
    Set<Long> versions = pending.stream().map(Migration::version).collect(Collectors.toSet());
    return new SchemaPlan(
        store.dialect().kind(),
        pending.stream().map(this::plan).toList(),
        cutovers.open(tx, versions));
  }

  private Verdict verdict(Tx tx) {
    return new Verdict(migrations, history(tx), store.fence(tx));
  }

  private List<HistoryRow> history(Tx tx) {
    return store.historyExists(tx) ? store.history(tx) : List.of();
  }

  private SchemaPlan.Step plan(Migration migration) {
    return new SchemaPlan.Step(
        migration.version(),
        migration.description(),
        migration.fenced(),
        names.in(migration.statements()));
  }

  /** Everything known, without throwing a verdict. */
  public SchemaStatus status() {
    return Asking.of(
        "Reading the schema's status",
        () ->
            store.reading(
                tx ->
                    new SchemaStatus(
                        store.dialect().kind(),
                        judge(tx),
                        List.copyOf(states(history(tx)).values()))));
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
}
