package dev.waybill.schema;

import dev.waybill.DatabaseException;
import dev.waybill.WaybillException;
import java.io.Serial;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Waybill must not run on this schema, or could not find out whether it may. Each case is a type of
 * its own; the message names the version and the remedy.
 */
public abstract sealed class SchemaIncompatibleException extends WaybillException {
  @Serial private static final long serialVersionUID = 1L;

  private SchemaIncompatibleException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }

  /** The case as a stable word, for machines. */
  public final String verdict() {
    return getClass()
        .getSimpleName()
        .replaceAll("(?<=[a-z])(?=[A-Z])", "-")
        .toLowerCase(Locale.ROOT);
  }

  /** A case about one migration. */
  public abstract static sealed class AboutVersion extends SchemaIncompatibleException {
    @Serial private static final long serialVersionUID = 1L;
    private final long version;

    private AboutVersion(long version, String message) {
      super(message, null);
      this.version = version;
    }

    /** The migration's version. */
    public final long version() {
      return version;
    }
  }

  /** There is no migration history: nobody has ever migrated here. The version is the first. */
  public static final class HistoryMissing extends AboutVersion {
    @Serial private static final long serialVersionUID = 1L;

    /** For a history table that should be there. */
    public HistoryMissing(String table, long firstVersion) {
      super(
          firstVersion,
          "There is no Waybill schema here: the history table "
              + table
              + " does not exist, so migration "
              + firstVersion
              + " was never applied. Run Schema.migrate (or `waybill schema migrate`), or apply"
              + " the output of `waybill schema print`; if it should exist, check the schema and"
              + " the table prefix.");
    }
  }

  /** A migration in the history is not the one this release has under that number. */
  public static final class ChecksumConflict extends AboutVersion {
    @Serial private static final long serialVersionUID = 1L;

    /** For a version whose recorded checksum is not ours. */
    public ChecksumConflict(long version, String recorded, String ours) {
      super(
          version,
          "Migration "
              + version
              + " in the history has checksum "
              + brief(recorded)
              + ", but this release's has "
              + brief(ours)
              + ": another migration was applied under this number, or its text was changed."
              + " Restore the schema that this release made, or run the release that made this"
              + " one; never edit an applied migration.");
    }

    private static String brief(String checksum) {
      return checksum.length() > 12 ? checksum.substring(0, 12) + "…" : checksum;
    }
  }

  /** A migration was begun and not finished. */
  public static final class Dirty extends AboutVersion {
    @Serial private static final long serialVersionUID = 1L;

    /** For a version whose row says that it did not succeed. */
    public Dirty(long version, int statement, int statements, String remedy) {
      super(
          version,
          "Migration "
              + version
              + " was begun and not finished: it stopped in statement "
              + statement
              + " of "
              + statements
              + ", which may or may not have taken effect. If no other process is migrating right"
              + " now: "
              + remedy);
    }
  }

  /** A newer release has changed the schema in a way this one cannot live with. */
  public static final class NewerRelease extends AboutVersion {
    @Serial private static final long serialVersionUID = 1L;

    /** For a fence row that this release does not know. */
    public NewerRelease(long version, String libraryVersion) {
      super(
          version,
          "Migration "
              + version
              + ", applied by Waybill "
              + libraryVersion
              + ", is newer than this release and fenced: older releases must not run beside it."
              + " Upgrade this process to Waybill "
              + libraryVersion
              + " or newer.");
    }
  }

  /** A migration of this release is missing: at the end, or in a gap. */
  public static final class TooOld extends AboutVersion {
    @Serial private static final long serialVersionUID = 1L;
    private final long latestApplied;

    /** For the lowest version that is not applied. */
    public TooOld(long version, long latestApplied) {
      super(
          version,
          "Migration "
              + version
              + " is not applied (the latest applied one of this release is "
              + latestApplied
              + "). Run Schema.migrate (or `waybill schema migrate`), or apply the output of"
              + " `waybill schema print --from "
              + version
              + (version < latestApplied ? " --to " + version : "")
              + "`.");
      this.latestApplied = latestApplied;
    }

    /** The highest version of this release that is applied, or 0. */
    public long latestApplied() {
      return latestApplied;
    }
  }

  /** Rows of an old shape are left that a cutover does not allow. */
  public static final class DataNotReady extends SchemaIncompatibleException {
    @Serial private static final long serialVersionUID = 1L;
    private final String cutover;
    private final LinkedHashMap<String, Long> counts;

    /** For a cutover with the number of rows left, by what they are. */
    public DataNotReady(String cutover, Map<String, Long> counts) {
      super(
          "The cutover "
              + cutover
              + " cannot be completed: rows of the old shape are left ("
              + counts
              + "). New ones are refused already, so the number only falls: let them be worked"
              + " off, or correct or remove them, then run Schema.migrate again.",
          null);
      this.cutover = cutover;
      this.counts = new LinkedHashMap<>(counts);
    }

    /** The cutover's name. */
    public String cutover() {
      return cutover;
    }

    /** How many rows are left, by what they are. */
    public Map<String, Long> counts() {
      return Collections.unmodifiableMap(counts);
    }
  }

  /** Another process held the migration lock for too long. */
  public static final class LockNotObtained extends SchemaIncompatibleException {
    @Serial private static final long serialVersionUID = 1L;

    /** For a wait that ended without the lock. */
    public LockNotObtained(String reason, @Nullable Throwable cause) {
      super(
          "The migration lock was not obtained: "
              + reason
              + ". Another process is migrating, or its connection still holds the lock; nothing"
              + " was changed. Try again, or wait longer (lockTimeout).",
          cause);
    }
  }

  /** The migrations are in place, but the lock could not be given back. */
  public static final class LockNotReleased extends SchemaIncompatibleException {
    @Serial private static final long serialVersionUID = 1L;

    /** For a lock whose connection was then ended. */
    public LockNotReleased(@Nullable Throwable cause) {
      super(
          "The migrations were applied, but the migration lock could not be released. Its"
              + " connection was ended, which frees the lock; cutovers were not checked. Run"
              + " Schema.migrate again.",
          cause);
    }
  }

  /** The database could not be asked, or a migration's statement failed. */
  public static final class QueryFailed extends SchemaIncompatibleException {
    @Serial private static final long serialVersionUID = 1L;
    private final DatabaseException failure;

    /** For an error of the database while doing something. */
    public QueryFailed(String doing, DatabaseException cause) {
      super(doing + " failed. " + cause.getMessage(), cause);
      this.failure = cause;
    }

    /** What the database said. */
    public DatabaseException failure() {
      return failure;
    }
  }
}
