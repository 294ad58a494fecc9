package dev.waybill.internal.store;

import dev.waybill.internal.sql.Tx;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What types with limits may start, in the transaction of a claim. */
public final class JobLimitStore {
  /** The limits of a type whose row is locked; microseconds. */
  public record Limits(
      String type,
      @Nullable Long maxRunning,
      @Nullable Long rateCount,
      long rateMicros,
      double tokens,
      long tokensAt,
      long now) {}

  private final Tx tx;

  private JobLimitStore(Tx tx) {
    this.tx = tx;
  }

  /** In this transaction. */
  static JobLimitStore in(Tx tx) {
    return new JobLimitStore(tx);
  }

  /** Locks the definitions of limited types; those that somebody else claims are left out. */
  public List<Limits> lock(Collection<String> types) {
    return tx.sql("job_limits_lock")
        .set("types", JsonRows.texts(types))
        .list(
            row -> {
              Long rateMicros = row.numberOrNull("rate_micros");
              return new Limits(
                  row.text("type"),
                  row.numberOrNull("max_running"),
                  row.numberOrNull("rate_count"),
                  rateMicros == null ? 1 : rateMicros,
                  Double.parseDouble(row.text("rate_tokens")),
                  row.number("rate_at"),
                  row.number("now"));
            });
  }

  /** How many of a type are leased. */
  public long running(String type) {
    return tx.sql("job_running_count").set("type", type).one(row -> row.number("running"));
  }

  /** Remembers how many starts are left. */
  public void takeTokens(Limits limits, double left) {
    tx.sql("job_rate_take")
        .set("type", limits.type())
        .set("tokens", String.format(Locale.ROOT, "%.6f", left))
        .set("now", limits.now())
        .update();
  }
}
