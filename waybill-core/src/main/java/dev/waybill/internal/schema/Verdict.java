package dev.waybill.internal.schema;

import dev.waybill.internal.store.SchemaStore.FenceRow;
import dev.waybill.internal.store.SchemaStore.HistoryRow;
import dev.waybill.schema.SchemaIncompatibleException;
import dev.waybill.schema.SchemaIncompatibleException.ChecksumConflict;
import dev.waybill.schema.SchemaIncompatibleException.Dirty;
import dev.waybill.schema.SchemaIncompatibleException.NewerRelease;
import dev.waybill.schema.SchemaIncompatibleException.TooOld;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The order of precedence, written once. Rows of versions that are not in our bundle are ignored in
 * the history, whatever they say: they are a newer release's additive migrations, or somebody
 * else's. Only the fence speaks for newer releases.
 */
final class Verdict {
  private final Migrations migrations;
  private final List<HistoryRow> history;
  private final List<FenceRow> fence;

  Verdict(Migrations migrations, List<HistoryRow> history, List<FenceRow> fence) {
    this.migrations = migrations;
    this.history = history;
    this.fence = fence;
  }

  /** Conflict, then dirty, then newer release: what neither migrating nor waiting can cure. */
  Optional<SchemaIncompatibleException> obstacle(String historyTable) {
    for (HistoryRow row : history) {
      Optional<Migration> ours = migrations.find(row.version());
      if (ours.isPresent() && !ours.get().checksum().equals(row.checksum())) {
        return Optional.of(
            new ChecksumConflict(row.version(), row.checksum(), ours.get().checksum()));
      }
    }
    for (HistoryRow row : history) {
      Optional<Migration> ours = migrations.find(row.version());
      if (ours.isPresent() && !row.success()) {
        return Optional.of(dirty(row, ours.get(), historyTable));
      }
    }
    for (FenceRow row : fence) {
      if (migrations.find(row.version()).isEmpty()) {
        return Optional.of(new NewerRelease(row.version(), row.libraryVersion()));
      }
    }
    return Optional.empty();
  }

  private static Dirty dirty(HistoryRow row, Migration migration, String historyTable) {
    return new Dirty(
        row.version(),
        row.statement(),
        migration.statements().size(),
        "run the undo script (`waybill schema print --undo "
            + row.version()
            + "`), whose last statement removes the row of version "
            + row.version()
            + " from "
            + historyTable
            + ", and migrate again.");
  }

  /** Our migrations that are not applied, gaps included. */
  List<Migration> pending() {
    List<Migration> pending = new ArrayList<>();
    for (Migration migration : migrations.all()) {
      if (history.stream().noneMatch(row -> isApplied(migration, row))) {
        pending.add(migration);
      }
    }
    return pending;
  }

  private static boolean isApplied(Migration migration, HistoryRow row) {
    return row.version() == migration.version()
        && row.success()
        && row.checksum().equals(migration.checksum());
  }

  /** Too old: the lowest pending migration. */
  Optional<SchemaIncompatibleException> tooOld() {
    List<Migration> pending = pending();
    if (pending.isEmpty()) {
      return Optional.empty();
    }
    long latest =
        migrations.all().stream()
            .filter(migration -> !pending.contains(migration))
            .mapToLong(Migration::version)
            .max()
            .orElse(0);
    return Optional.of(new TooOld(pending.get(0).version(), latest));
  }
}
