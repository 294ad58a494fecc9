package dev.waybill.internal.store;

import dev.waybill.internal.sql.Query;
import dev.waybill.internal.sql.Row;
import dev.waybill.internal.sql.Tx;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What types of jobs may do, in one transaction. */
public final class JobDefinitionStore {
  /** A definition as it is stored. */
  public record Definition(
      String type,
      int version,
      int maxAttempts,
      long timeoutMicros,
      int priority,
      String retryPolicy,
      boolean enabled,
      boolean paused,
      @Nullable Integer maxRunning,
      @Nullable Integer rateCount,
      @Nullable Long rateMicros) {
    static Definition read(Row row) throws SQLException {
      Long maxRunning = row.numberOrNull("max_running");
      Long rateCount = row.numberOrNull("rate_count");
      return new Definition(
          row.text("type"),
          (int) row.number("version"),
          (int) row.number("max_attempts"),
          row.number("timeout_micros"),
          (int) row.number("priority"),
          row.text("retry_policy"),
          row.flag("enabled"),
          row.flag("paused"),
          maxRunning == null ? null : maxRunning.intValue(),
          rateCount == null ? null : rateCount.intValue(),
          row.numberOrNull("rate_micros"));
    }

    /** The same, enabled or not. */
    public Definition enabled(boolean value) {
      return new Definition(
          type,
          version,
          maxAttempts,
          timeoutMicros,
          priority,
          retryPolicy,
          value,
          paused,
          maxRunning,
          rateCount,
          rateMicros);
    }

    /** The same, paused or not. */
    public Definition paused(boolean value) {
      return new Definition(
          type,
          version,
          maxAttempts,
          timeoutMicros,
          priority,
          retryPolicy,
          enabled,
          value,
          maxRunning,
          rateCount,
          rateMicros);
    }
  }

  private final Tx tx;

  private JobDefinitionStore(Tx tx) {
    this.tx = tx;
  }

  /** In this transaction. */
  public static JobDefinitionStore in(Tx tx) {
    return new JobDefinitionStore(tx);
  }

  /** All by type. */
  public List<Definition> all() {
    return tx.sql("job_definition_rows").list(Definition::read);
  }

  /** All by type; nobody else changes them until the transaction ends. */
  public List<Definition> allLocked() {
    return tx.sql("job_definition_rows_locked").list(Definition::read);
  }

  /** Adds one. */
  public void insert(Definition definition) {
    owned("job_definition_insert", definition).set("paused", definition.paused()).update();
  }

  /** Replaces all but the pause. */
  public void update(Definition definition) {
    owned("job_definition_update", definition).update();
  }

  private Query owned(String statement, Definition definition) {
    return tx.sql(statement)
        .set("type", definition.type())
        .set("version", definition.version())
        .set("max_attempts", definition.maxAttempts())
        .set("timeout_micros", definition.timeoutMicros())
        .set("priority", definition.priority())
        .set("retry_policy", definition.retryPolicy())
        .set("enabled", definition.enabled())
        .set("max_running", definition.maxRunning())
        .set("rate_count", definition.rateCount())
        .set("rate_micros", definition.rateMicros());
  }

  /** Pauses or resumes one; returns false if there is none. */
  public boolean pause(String type, boolean paused) {
    return tx.sql("job_definition_pause").set("type", type).set("paused", paused).update() > 0;
  }

  /** Enables or disables one; returns false if there is none. */
  public boolean enable(String type, boolean enabled) {
    return tx.sql("job_definition_enable").set("type", type).set("enabled", enabled).update() > 0;
  }
}
