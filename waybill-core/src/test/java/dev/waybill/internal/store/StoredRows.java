package dev.waybill.internal.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.waybill.testkit.DatabaseProduct;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Where messages are in each database, for tests that look there behind the library's back. */
public final class StoredRows {
  private StoredRows() {}

  /** Whether a row of body may have several messages. */
  private static boolean areParcels(DatabaseProduct product) {
    return product != DatabaseProduct.SQLITE;
  }

  /** Whether body is all there is, and tells how many messages a row has. */
  static boolean isKnownByBody(DatabaseProduct product) {
    return product == DatabaseProduct.MYSQL || product == DatabaseProduct.MARIADB;
  }

  /** The tables that are empty when everything is done. */
  public static List<String> tables(DatabaseProduct product) {
    return isKnownByBody(product)
        ? List.of("body", "delayed", "parked")
        : List.of("body", "incoming", "outgoing", "delayed", "parked");
  }

  /** Counts messages, wherever they are on their way. */
  public static String count(DatabaseProduct product) {
    return switch (product) {
      case MYSQL, MARIADB -> "select coalesce(sum(n), 0)" + body();
      case POSTGRESQL ->
          "select (select coalesce(sum(n), 0) from waybill_outbox_incoming) + (select"
              + " coalesce(sum(n), 0) from waybill_outbox_outgoing) + (select count(*) from"
              + " waybill_outbox_delayed)";
      case SQLITE -> "select count(*)" + body();
    };
  }

  /** Counts messages that have no number yet. */
  public static String countWaiting(DatabaseProduct product) {
    return switch (product) {
      case MYSQL, MARIADB ->
          "select coalesce(sum(n), 0)" + body() + " where seq = " + Parcel.WAITING;
      case POSTGRESQL -> "select coalesce(sum(n), 0) from waybill_outbox_incoming";
      case SQLITE -> "select count(*) from waybill_outbox_incoming";
    };
  }

  /** Messages without numbers, {@code b} with their bodies and {@code i} with their partitions. */
  public static String waiting(DatabaseProduct product) {
    return switch (product) {
      case MYSQL, MARIADB ->
          body() + " b join waybill_outbox_body i on i.id = b.id and i.seq = " + Parcel.WAITING;
      case POSTGRESQL ->
          " from waybill_outbox_incoming i left join waybill_outbox_body on"
              + " waybill_outbox_body.id = i.id cross join lateral (select i.id, coalesce(i.cargo,"
              + " payload) as payload) b";
      case SQLITE -> " from waybill_outbox_incoming i join waybill_outbox_body b on b.id = i.id";
    };
  }

  private static String body() {
    return " from waybill_outbox_body";
  }

  /** Loses a message that is alone in its row, or in none. */
  public static String lose(DatabaseProduct product, long id) {
    long row = areParcels(product) ? Parcel.row(id) : id;
    String lost = "delete from waybill_outbox_body where id = " + row;
    return product != DatabaseProduct.POSTGRESQL
        ? lost
        : "with body as ("
            + lost
            + "), waiting as (update waybill_outbox_incoming set cargo = null where id = "
            + row
            + ") update waybill_outbox_outgoing set cargo = (select array_agg(case when c.id <> "
            + row
            + " then c.cargo end order by c.k) from unnest(ids, cargo) with ordinality c (id,"
            + " cargo, k)) where "
            + row
            + " = any (ids) and cargo is not null";
  }

  /** Loses all that have no number. */
  public static List<String> loseWaiting(DatabaseProduct product) {
    return isKnownByBody(product)
        ? List.of("delete from waybill_outbox_body")
        : List.of("delete from waybill_outbox_incoming", "delete from waybill_outbox_body");
  }

  /** Columns of {@link #waiting} that {@link #texts} reads. */
  public static String columns(DatabaseProduct product) {
    return "b.id, b.payload, "
        + switch (product) {
          case POSTGRESQL -> "i.n, i.n > 1 or i.cargo is not null as packed";
          case MYSQL, MARIADB -> "i.n, i.n > 1 as packed";
          case SQLITE -> "1 as n, 0 as packed";
        };
  }

  /** The payloads of the messages in a row, by their ids. */
  public static Map<Long, String> texts(DatabaseProduct product, ResultSet row)
      throws SQLException {
    Map<Long, String> texts = new HashMap<>();
    long id = row.getLong("id");
    int n = row.getInt("n");
    byte[] payload = row.getBytes("payload");
    if (!areParcels(product)) {
      texts.put(id, new String(payload, UTF_8));
    } else if (!row.getBoolean("packed")) {
      texts.put(Parcel.id(id, 0), new String(payload, UTF_8));
    } else {
      List<MessageBody> bodies = PackedMessages.unpack(payload, n, Instant.EPOCH);
      for (int place = 0; place < n; place++) {
        texts.put(Parcel.id(id, place), new String(bodies.get(place).payload(), UTF_8));
      }
    }
    return texts;
  }

  /** The ids of the messages of a row. */
  static List<Long> ids(DatabaseProduct product, long row, int n) {
    List<Long> ids = new ArrayList<>();
    for (int place = 0; place < n; place++) {
      ids.add(areParcels(product) ? Parcel.id(row, place) : row);
    }
    return ids;
  }
}
