package dev.waybill.internal.store;

import dev.waybill.internal.sql.Query;
import dev.waybill.internal.sql.Tx;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The bodies of several partitions' messages, of each partition as many as are not too large
 * together (MySQL and MariaDB). Drivers there hold a whole answer in memory, so what is large is
 * first only measured; what is small comes at once.
 */
final class Bodies {
  /** More in one list, and the server may prefer to read the whole table. */
  private static final int MOST_IDS = 5_000;

  private final Map<Long, Long> sizes = new HashMap<>();
  private final Map<Long, MessageBody> bodies = new HashMap<>();

  private Bodies() {}

  /** Reads the bodies of these messages, a list per partition. */
  static Bodies read(Tx tx, Collection<List<StoredMessage>> lists) {
    Bodies read = new Bodies();
    int longest = lists.stream().mapToInt(List::size).max().orElse(0);
    if (longest > 0) {
      read.small(tx, ids(lists), longest == 1 ? Long.MAX_VALUE : MessageStore.MOST_BYTES / longest);
      read.large(tx, ids(lists.stream().map(read::fitting).toList()));
    }
    return read;
  }

  private static List<Long> ids(Collection<List<StoredMessage>> lists) {
    return lists.stream().flatMap(List::stream).map(StoredMessage::id).toList();
  }

  private void small(Tx tx, List<Long> ids, long limit) {
    for (List<Long> some : pieces(ids)) {
      Query query = tx.sql("outbox_read_small").set("limit", limit);
      some.forEach(query::row);
      query.list(
          row -> {
            long id = row.number("id");
            long bytes = row.number("bytes");
            if (bytes <= limit) {
              bodies.put(id, MessageStore.body(row));
            }
            return sizes.put(id, bytes);
          });
    }
  }

  private void large(Tx tx, List<Long> fitting) {
    List<Long> left =
        fitting.stream().filter(id -> sizes.containsKey(id) && !bodies.containsKey(id)).toList();
    for (List<Long> some : pieces(left)) {
      Query query = tx.sql("outbox_read_bodies");
      some.forEach(query::row);
      query.list(row -> bodies.put(row.number("id"), MessageStore.body(row)));
    }
  }

  private static List<List<Long>> pieces(List<Long> ids) {
    List<List<Long>> pieces = new ArrayList<>();
    for (int from = 0; from < ids.size(); from += MOST_IDS) {
      pieces.add(ids.subList(from, Math.min(ids.size(), from + MOST_IDS)));
    }
    return pieces;
  }

  /** As many of a partition's messages as are not too large together; always the first. */
  private List<StoredMessage> fitting(List<StoredMessage> places) {
    long bytes = 0;
    for (int i = 0; i < places.size(); i++) {
      bytes += sizes.getOrDefault(places.get(i).id(), 0L);
      if (i > 0 && bytes > MessageStore.MOST_BYTES) {
        return places.subList(0, i);
      }
    }
    return places;
  }

  /** The same messages with their bodies, up to the last that fits. */
  List<StoredMessage> of(List<StoredMessage> places) {
    return fitting(places).stream()
        .map(place -> new StoredMessage(place.seq(), place.id(), bodies.get(place.id())))
        .toList();
  }
}
