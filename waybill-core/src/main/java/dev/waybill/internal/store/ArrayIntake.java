package dev.waybill.internal.store;

import dev.waybill.internal.sql.Micros;
import dev.waybill.internal.sql.Query;
import dev.waybill.internal.sql.Tx;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * How messages get into the tables (PostgreSQL), one statement for as many as there are. Several
 * are packed into rows of <i>body</i>, a large one has such a row for itself, and a small one that
 * comes alone is the cargo of its row of <i>incoming</i>.
 */
final class ArrayIntake {
  /** What is larger the server would compress, or keep elsewhere. */
  private static final int MOST_PARCEL_BYTES = 1_940;

  /** What is larger is not written twice: that would cost more than it saves. */
  private static final int MOST_CARGO_BYTES = 1_000;

  private final KnownSlots known;

  ArrayIntake(KnownSlots known) {
    this.known = known;
  }

  /**
   * Stores them and tells their ids.
   *
   * @param ending what is to happen with the statement besides
   */
  long[] enqueue(Tx tx, List<NewMessage> messages, UnaryOperator<Query> ending) {
    if (messages.size() == 1 && !messages.get(0).isDelayed()) {
      return new long[] {Parcel.id(enqueueOne(tx, messages.get(0), ending), 0)};
    }
    List<Parcel> parcels = Parcel.of(messages, MOST_PARCEL_BYTES);
    boolean delayed = messages.stream().anyMatch(NewMessage::isDelayed);
    Slots slots = known.in(tx);
    Query query =
        tx.sql(delayed ? "outbox_enqueue_delayed" : "outbox_enqueue", slots.written())
            .set("head", slots.head())
            .set("head_" + slots.head(), slots.head())
            .set("intake_" + slots.intake(), slots.intake())
            .longs(
                "partitions",
                ArrayMessageStore.longs(parcels, parcel -> parcel.first().partitionId()))
            .longs("counts", ArrayMessageStore.longs(parcels, Parcel::size))
            .texts("types", parcels.stream().map(Parcel::type).toList())
            .texts("keys", texts(parcels, Parcel::key))
            .texts("headers", texts(parcels, Parcel::headers))
            .blobs("payloads", parcels.stream().map(Parcel::payload).toList());
    if (delayed) {
      due(query, parcels);
    }
    long[] ids = new long[messages.size()];
    Iterator<Parcel> stored = parcels.iterator();
    ending
        .apply(query)
        .list(
            row -> {
              stored.next().name(row.number("id"), ids);
              return known.learnt(row);
            });
    return ids;
  }

  private static List<@Nullable String> texts(
      List<Parcel> parcels, Function<Parcel, @Nullable String> text) {
    List<@Nullable String> texts = new ArrayList<>(parcels.size());
    parcels.forEach(parcel -> texts.add(text.apply(parcel)));
    return texts;
  }

  /** What producers do most: without arrays and sorting that is cheaper. Gives its row. */
  private long enqueueOne(Tx tx, NewMessage message, UnaryOperator<Query> ending) {
    Slots slots = known.in(tx);
    byte[] cargo = cargo(message);
    Query query =
        cargo == null
            ? written(tx.sql("outbox_enqueue_one", slots.writtenOne()), slots, message)
            : tx.sql("outbox_enqueue_light_" + slots.intake())
                .set("partition", message.partitionId())
                .set("head", slots.head())
                .set("payload", cargo);
    return ending
        .apply(query)
        .one(
            row -> {
              known.learnt(row);
              return row.number("id");
            });
  }

  /** The message packed, if it is small enough to need no row of body. */
  private static byte @Nullable [] cargo(NewMessage message) {
    if (message.payload().length > MOST_CARGO_BYTES) {
      return null;
    }
    byte[] packed = PackedMessages.pack(message);
    return packed.length > MOST_CARGO_BYTES ? null : packed;
  }

  private static Query written(Query query, Slots slots, NewMessage message) {
    return query
        .set("head", slots.head())
        .set("head_" + slots.head(), slots.head())
        .set("intake_" + slots.intake(), slots.intake())
        .set("partition", message.partitionId())
        .set("type", message.type())
        .set("key", message.key())
        .set("headers", HeaderLines.write(message.headers()))
        .set("payload", message.payload());
  }

  private static void due(Query query, List<Parcel> parcels) {
    List<@Nullable Long> dueAts = new ArrayList<>(parcels.size());
    List<@Nullable Long> delays = new ArrayList<>(parcels.size());
    for (Parcel parcel : parcels) {
      Instant dueAt = parcel.first().dueAt();
      Duration delay = parcel.first().delay();
      dueAts.add(dueAt == null ? null : Micros.of(dueAt));
      delays.add(delay == null ? null : MessageStore.micros(delay));
    }
    query.longs("due_ats", dueAts).longs("delays", delays);
  }

  /** Stores one that is not delayed, perhaps numbered and taken at once. */
  Query departingLast(Tx tx, NewMessage message) {
    Slots slots = known.in(tx);
    byte[] cargo = cargo(message);
    Query query = written(tx.sql("outbox_depart_last", slots.departingLast()), slots, message);
    if (cargo != null) {
      query.set("type", "").set("key", null).set("headers", null).set("payload", cargo);
    }
    return query.set("heavy", cargo == null);
  }
}
