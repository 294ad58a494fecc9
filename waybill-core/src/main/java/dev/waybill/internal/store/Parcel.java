package dev.waybill.internal.store;

import dev.waybill.internal.sql.Query;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What one call enqueues into one partition, as one row (not on SQLite). A message that is alone in
 * its row stands there in plain; several are packed into its payload.
 */
final class Parcel {
  /** Of one row; also how many ids a row has. */
  static final int MOST_MESSAGES = 128;

  /**
   * What {@code seq} is (MySQL and MariaDB) while there is no number: behind all numbers, which are
   * read more often.
   */
  static final long WAITING = Long.MAX_VALUE;

  static final long DELAYED = WAITING - 1;

  private final int mostBytes;
  private final NewMessage first;
  private final List<Integer> places = new ArrayList<>();
  private final ByteArrayOutputStream packed = new ByteArrayOutputStream();

  private Parcel(NewMessage first, int mostBytes) {
    this.first = first;
    this.mostBytes = mostBytes;
  }

  /**
   * Packs them; those of one partition keep their order. A message that is delayed has a row of its
   * own, as it will have a time of its own.
   *
   * @param mostBytes of a row with several
   */
  static List<Parcel> of(List<NewMessage> messages, int mostBytes) {
    List<Parcel> all = new ArrayList<>();
    Map<Long, Parcel> open = new HashMap<>();
    for (int i = 0; i < messages.size(); i++) {
      NewMessage message = messages.get(i);
      byte[] bytes = PackedMessages.pack(message);
      Parcel parcel = message.isDelayed() ? null : open.get(message.partitionId());
      if (parcel == null || !parcel.takes(bytes)) {
        parcel = new Parcel(message, mostBytes);
        all.add(parcel);
        if (!message.isDelayed()) {
          open.put(message.partitionId(), parcel);
        }
      }
      parcel.places.add(i);
      parcel.packed.writeBytes(bytes);
    }
    return all;
  }

  private boolean takes(byte[] more) {
    return places.size() < MOST_MESSAGES && packed.size() + more.length <= mostBytes;
  }

  /** The first of its messages. */
  NewMessage first() {
    return first;
  }

  /** How large its row is, about. */
  int bytes() {
    return packed.size();
  }

  /** How many messages it has. */
  int size() {
    return places.size();
  }

  private boolean isAlone() {
    return places.size() == 1;
  }

  String type() {
    return isAlone() ? first.type() : "";
  }

  @Nullable String key() {
    return isAlone() ? first.key() : null;
  }

  @Nullable String headers() {
    return isAlone() ? HeaderLines.write(first.headers()) : null;
  }

  byte[] payload() {
    return isAlone() ? first.payload() : packed.toByteArray();
  }

  /** One more row for an insert. */
  List<@Nullable Object> row() {
    List<@Nullable Object> row = new ArrayList<>();
    row.add(first.partitionId());
    row.add(first.isDelayed() ? DELAYED : WAITING);
    row.add(size());
    row.add(type());
    row.add(key());
    row.add(headers());
    row.add(payload());
    return row;
  }

  /** One more row for the insert of delayed ones. */
  void delay(Query later, long row) {
    later.row(
        first.dueAt(),
        first.delay() == null ? null : MessageStore.micros(first.delay()),
        row,
        first.partitionId());
  }

  /** Tells the ids of its messages, at their places in the call. */
  void name(long row, long[] ids) {
    for (int k = 0; k < places.size(); k++) {
      ids[places.get(k)] = id(row, k);
    }
  }

  /** The id of a message by its place in a row. */
  static long id(long row, int place) {
    return row * MOST_MESSAGES + place;
  }

  /** The row of a message. */
  static long row(long id) {
    return id / MOST_MESSAGES;
  }
}
