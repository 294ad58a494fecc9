package dev.waybill.internal.store;

import dev.waybill.DatabaseException;
import dev.waybill.DatabaseException.Kind;
import dev.waybill.internal.loop.Time;
import dev.waybill.internal.sql.Database;
import dev.waybill.internal.sql.Retry;
import dev.waybill.internal.sql.Session;
import dev.waybill.internal.sql.Tx;
import dev.waybill.schema.SchemaIncompatibleException.LockNotObtained;
import java.time.Duration;
import java.util.function.Function;

/**
 * SQLite has one writer: all migrations of a run are one transaction, which is the lock as well.
 */
final class SqliteSchemaStore extends SchemaStore {
  SqliteSchemaStore(Database database, Time time) {
    super(database, time);
  }

  @Override
  public <T> T exclusively(Duration timeout, Function<Unit, T> work) {
    long deadline = time().nanos() + Time.toNanos(timeout);
    try (Session session = database().retrying(Retry.never()).session()) {
      while (true) {
        try {
          return session.transact(tx -> work.apply(new Joined(tx)));
        } catch (DatabaseException e) {
          if (e.kind() != Kind.CONTENTION) {
            throw e;
          }
          if (time().nanos() - deadline >= 0) {
            throw new LockNotObtained("the database was busy for " + timeout, e);
          }
          pause(e);
        }
      }
    }
  }

  private void pause(DatabaseException busy) {
    try {
      time().sleep(Duration.ofMillis(20));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LockNotObtained("the waiting thread was interrupted", busy);
    }
  }

  private record Joined(Tx tx) implements Unit {
    @Override
    public <T> T run(Function<Tx, T> work) {
      return work.apply(tx);
    }
  }
}
