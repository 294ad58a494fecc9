package dev.waybill.internal.store;

import dev.waybill.internal.sql.Query;
import dev.waybill.internal.sql.Tx;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** De-duplication keys: which message of a queue has which, within a window. */
public final class DedupStore {
  private static final int MOST_ROWS = 1_000;

  /** Claims these keys. Gives those that others have, with the ids of their messages. */
  public Map<String, Long> claim(Tx tx, long queueId, Collection<String> keys, Duration window) {
    // In one order for all: transactions that claim the same keys must not wait crosswise.
    List<String> sorted = keys.stream().sorted().toList();
    Map<String, Long> known = new HashMap<>();
    for (int from = 0; from < sorted.size(); from += MOST_ROWS) {
      List<String> chunk = sorted.subList(from, Math.min(sorted.size(), from + MOST_ROWS));
      Query claim = tx.sql("outbox_dedup_claim");
      chunk.forEach(key -> claim.row(queueId, key, MessageStore.micros(window)));
      claim.update();
      claimed(tx, chunk)
          .set("queue_id", queueId)
          .list(
              row -> {
                Long id = row.numberOrNull("message_id");
                if (id != null) {
                  known.put(text(row.bytesOrText("dedup_key")), id);
                }
                return row;
              });
    }
    return known;
  }

  private static Query claimed(Tx tx, List<String> keys) {
    if (tx.has("outbox_dedup_known")) {
      return tx.sql("outbox_dedup_known")
          .set("keys", json(keys.stream().map(DedupStore::hex).toList()));
    }
    Query claimed = tx.sql("outbox_dedup_claimed");
    keys.forEach(claimed::row);
    return claimed;
  }

  private static String hex(String key) {
    return '"' + HexFormat.of().formatHex(key.getBytes(StandardCharsets.UTF_8)) + '"';
  }

  private static String json(List<String> elements) {
    return "[" + String.join(",", elements) + "]";
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }

  /** Says which message a claimed key belongs to. */
  public void name(Tx tx, long queueId, Map<String, Long> messages) {
    List<Map.Entry<String, Long>> sorted = new ArrayList<>(new TreeMap<>(messages).entrySet());
    for (int from = 0; from < sorted.size(); from += MOST_ROWS) {
      List<Map.Entry<String, Long>> chunk =
          sorted.subList(from, Math.min(sorted.size(), from + MOST_ROWS));
      named(tx, queueId, chunk).update();
    }
  }

  private static Query named(Tx tx, long queueId, List<Map.Entry<String, Long>> messages) {
    if (tx.has("outbox_dedup_tell")) {
      List<String> rows =
          messages.stream()
              .map(each -> json(List.of(hex(each.getKey()), each.getValue().toString())))
              .toList();
      return tx.sql("outbox_dedup_tell").set("queue_id", queueId).set("rows", json(rows));
    }
    Query name = tx.sql("outbox_dedup_name");
    messages.forEach(each -> name.row(queueId, each.getKey(), each.getValue()));
    return name;
  }
}
