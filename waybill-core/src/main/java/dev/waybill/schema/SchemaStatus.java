package dev.waybill.schema;

import dev.waybill.spi.DatabaseKind;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Everything the guard knows about a schema.
 *
 * @param database the kind of database found
 * @param verdict why this release must not run on it, or empty if it may
 * @param migrations one entry per migration that is ours or in the history, by version
 */
public record SchemaStatus(
    DatabaseKind database,
    Optional<SchemaIncompatibleException> verdict,
    List<Migration> migrations) {

  public SchemaStatus {
    migrations = List.copyOf(migrations);
  }

  /** How a migration stands. */
  public enum State {
    /** In place, as this release knows it. */
    APPLIED,
    /** Known to this release, not in place. */
    PENDING,
    /** Begun and not finished. */
    DIRTY,
    /** In place, but not as this release knows it. */
    CONFLICT,
    /** Not of this release: of a newer one, or somebody else's. */
    UNKNOWN
  }

  /**
   * One migration.
   *
   * @param version its number
   * @param description what it is for
   * @param state how it stands
   * @param appliedAt when it was applied, by the database's clock; null if it was not
   * @param duration how long it took; null if it was not applied
   * @param appliedBy the library version that applied it; null if it was not
   */
  public record Migration(
      long version,
      String description,
      State state,
      @Nullable Instant appliedAt,
      @Nullable Duration duration,
      @Nullable String appliedBy) {}
}
