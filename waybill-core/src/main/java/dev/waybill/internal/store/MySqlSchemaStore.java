package dev.waybill.internal.store;

import dev.waybill.DatabaseException;
import dev.waybill.internal.loop.Time;
import dev.waybill.internal.sql.Database;
import dev.waybill.internal.sql.Tx;
import java.util.HexFormat;

/**
 * MySQL and MariaDB commit every DDL statement by itself, so a migration cannot be undone by a
 * rollback. Its history row goes first, unsuccessful, and says before each statement which one is
 * next, so that whoever comes after a crash knows exactly how far it came.
 */
final class MySqlSchemaStore extends SchemaStore {
  MySqlSchemaStore(Database database, Time time) {
    super(database, time);
  }

  @Override
  public void apply(Unit unit, Step step) {
    long began = time().nanos();
    unit.run(
        tx -> {
          insertHistory(tx, step, false, 1, 0);
          return true;
        });
    for (int i = 1; i <= step.statements().size(); i++) {
      applyOne(unit, step, i);
    }
    unit.run(
        tx -> {
          recordFence(tx, step);
          tx.sql("schema_history_finish")
              .set("version", step.version())
              .set("statement", step.statements().size())
              .set("duration_millis", millisSince(began))
              .update();
          return true;
        });
  }

  private void applyOne(Unit unit, Step step, int number) {
    if (number > 1) {
      unit.run(
          tx ->
              tx.sql("schema_history_reach")
                  .set("version", step.version())
                  .set("statement", number)
                  .update());
    }
    Attempt attempt = new Attempt(step.statements().get(number - 1));
    try {
      unit.run(attempt::run);
    } catch (DatabaseException e) {
      if (number == 1 && attempt.hadNoEffect) {
        forget(unit, step, e);
      }
      throw e;
    }
  }

  /** One statement, maybe repeated, and whether it is certain that it changed nothing. */
  private static final class Attempt {
    private final String statement;
    private boolean hadNoEffect = true;

    Attempt(String statement) {
      this.statement = statement;
    }

    boolean run(Tx tx) {
      try {
        tx.script(statement);
        hadNoEffect = false;
        return true;
      } catch (DatabaseException e) {
        hadNoEffect &= Tx.refused(e);
        throw e;
      }
    }
  }

  /** A refused first statement changed nothing: the migration is pending again, not dirty. */
  private void forget(Unit unit, Step step, DatabaseException failure) {
    try {
      unit.run(tx -> tx.sql("schema_history_forget").set("version", step.version()).update());
    } catch (DatabaseException e) {
      failure.addSuppressed(e);
    }
  }

  /** Named locks are one space for the whole server, and their names are at most 64 characters. */
  @Override
  Object lockKey() {
    return "waybill-" + HexFormat.of().formatHex(lockDigest(), 0, 20);
  }
}
