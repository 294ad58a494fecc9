package dev.waybill.internal.store;

import dev.waybill.internal.sql.Database;
import dev.waybill.internal.sql.Query;
import dev.waybill.internal.sql.Row;
import dev.waybill.outbox.DeliveryTimes;
import dev.waybill.outbox.RecentDeliveries;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** What processes did with queues lately: a row for each queue and process. */
public final class PaceStore {
  /** Whoever wrote nothing for so long is not read, and is cleared away. */
  public static final Duration GONE = Duration.ofMinutes(5);

  private final Database database;

  public PaceStore(Database database) {
    this.database = database;
  }

  /**
   * What a process did with a queue lately.
   *
   * @param span the time in which that happened
   */
  public record NewPace(
      long queueId, DeliveryTimes times, long retried, long rejected, Duration span) {}

  /** Writes over what the process wrote before. */
  public void write(String owner, List<NewPace> paces) {
    database.single(
        tx -> {
          Query write = tx.sql("outbox_pace_write");
          for (NewPace pace : paces) {
            write.row(
                pace.queueId(),
                owner,
                pace.times().total(),
                pace.retried(),
                pace.rejected(),
                text(pace.times()),
                MessageStore.micros(pace.span()));
          }
          return write.update();
        });
  }

  /** Removes what is not read any more. Says how much that was. */
  public int clear() {
    return database.single(
        tx -> tx.sql("outbox_pace_clear").set("within", MessageStore.micros(GONE)).update());
  }

  /** What is not too old, by queue and process. */
  public List<RecentDeliveries> recent() {
    return database
        .looking()
        .single(
            tx ->
                tx.sql("outbox_pace")
                    .set("within", MessageStore.micros(GONE))
                    .list(PaceStore::recent));
  }

  private static RecentDeliveries recent(Row row) throws SQLException {
    return new RecentDeliveries(
        row.text("name"),
        row.text("owner"),
        times(row.text("times")),
        row.number("retried"),
        row.number("rejected"),
        MessageStore.until(row, "span"),
        MessageStore.until(row, "ago"));
  }

  /** The buckets that are not empty, as 12:340 13:7. */
  private static String text(DeliveryTimes times) {
    List<String> filled = new ArrayList<>();
    for (int bucket = 0; bucket < times.counts().size(); bucket++) {
      long count = times.counts().get(bucket);
      if (count > 0) {
        filled.add(bucket + ":" + count);
      }
    }
    return String.join(" ", filled);
  }

  private static DeliveryTimes times(String text) {
    List<Long> counts = new ArrayList<>(Collections.nCopies(DeliveryTimes.BUCKETS, 0L));
    for (String each : text.isEmpty() ? new String[0] : text.split(" ", -1)) {
      int colon = each.indexOf(':');
      counts.set(
          Integer.parseInt(each.substring(0, colon)), Long.parseLong(each.substring(colon + 1)));
    }
    return new DeliveryTimes(counts);
  }
}
