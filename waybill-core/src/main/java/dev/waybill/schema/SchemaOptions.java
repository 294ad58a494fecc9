package dev.waybill.schema;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Where the tables are and how long to wait for other processes that migrate.
 *
 * @param prefix what table names begin with
 * @param schema the schema (PostgreSQL) or database (MySQL, MariaDB), or null for the connection's
 *     own
 * @param lockTimeout how long {@code migrate} waits for its lock
 */
public record SchemaOptions(String prefix, @Nullable String schema, Duration lockTimeout) {

  public SchemaOptions {
    if (lockTimeout.isNegative()) {
      throw new IllegalArgumentException("lockTimeout must not be negative: " + lockTimeout);
    }
  }

  /** Tables {@code waybill_…} in the connection's own schema; one minute for the lock. */
  public static SchemaOptions defaults() {
    return new SchemaOptions("waybill_", null, Duration.ofMinutes(1));
  }

  /** With another table prefix. */
  public SchemaOptions withPrefix(String newPrefix) {
    return new SchemaOptions(newPrefix, schema, lockTimeout);
  }

  /** In another schema than the connection's own. */
  public SchemaOptions withSchema(@Nullable String newSchema) {
    return new SchemaOptions(prefix, newSchema, lockTimeout);
  }

  /** With another patience. */
  public SchemaOptions withLockTimeout(Duration newLockTimeout) {
    return new SchemaOptions(prefix, schema, newLockTimeout);
  }
}
