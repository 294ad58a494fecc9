package dev.waybill.internal.store;

import dev.waybill.internal.sql.Database;
import dev.waybill.internal.sql.Query;
import dev.waybill.internal.sql.Tx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.LongStream;

/** SQLite: a statement costs no round trip, so there is no need to fold several into one. */
final class SqliteMessageStore extends PackedMessageStore {
  /** More would keep the other writers waiting for too long. */
  private static final int MOST_VACUUMED = 20_000;

  private static final int CLEANED_TOGETHER = 64;

  /** With fewer neighbours a statement for them alone costs more than it saves. */
  private static final int FEWEST_NEIGHBOURS = 16;

  SqliteMessageStore(Database database) {
    super(database);
  }

  /** There is one writer, and an id is always one more than the greatest there ever was. */
  @Override
  long[] insert(Tx tx, Query bodies, int rows) {
    bodies.update();
    long last = tx.sql("outbox_body_last").one(row -> row.number("last"));
    return LongStream.rangeClosed(last - rows + 1, last).toArray();
  }

  /** In one transaction: a commit costs more than all statements of it. */
  @Override
  public Numbered sequence(
      long[] partitions, int messages, String owner, List<LeaseRequest.Take> wanted) {
    return transact(
        tx -> {
          Map<Long, Integer> counts = sequence(tx, partitions, messages);
          Map<Long, Delivery> taken = new LinkedHashMap<>();
          for (LeaseRequest.Take take : wanted) {
            long id = take.partitionId();
            if (counts.getOrDefault(id, 0) > 0) {
              lease(tx, id, owner, take.duration(), take.messages())
                  .ifPresent(delivery -> taken.put(id, delivery));
            }
          }
          return new Numbered(counts, taken);
        });
  }

  /** Who comes while this one stands in line for the writer's place goes along. */
  @Override
  public Map<Long, Delivery> round(String owner, Supplier<List<LeaseRequest>> requests) {
    return transact(tx -> round(tx, owner, requests.get()));
  }

  @Override
  Optional<Delivery> lease(Tx tx, long partitionId, String owner, Duration duration, int messages) {
    int taken =
        tx.sql("outbox_lease_acquire")
            .set("partition_id", partitionId)
            .set("owner", owner)
            .set("duration", micros(duration))
            .update();
    return taken == 0 ? Optional.empty() : Optional.of(read(tx, partitionId, messages));
  }

  @Override
  Optional<Delivery> next(Tx tx, Lease lease, long processedSeq, int messages) {
    int kept =
        fenced(tx.sql("outbox_lease_keep"), lease)
            .set("processed_seq", processedSeq)
            .set("duration", micros(lease.duration()))
            .update();
    return kept == 0 ? Optional.empty() : Optional.of(read(tx, lease.partitionId(), messages));
  }

  @Override
  Map<Long, Delivery> round(Tx tx, String owner, List<LeaseRequest> requests) {
    Map<Long, Delivery> answers = new HashMap<>();
    for (LeaseRequest request : requests) {
      answer(tx, owner, request).ifPresent(answer -> answers.put(request.partitionId(), answer));
    }
    return answers;
  }

  private Optional<Delivery> answer(Tx tx, String owner, LeaseRequest request) {
    if (request instanceof LeaseRequest.Take take) {
      return lease(tx, take.partitionId(), owner, take.duration(), take.messages());
    }
    if (request instanceof LeaseRequest.Next next) {
      return next(tx, next.lease(), next.processedSeq(), next.messages());
    }
    var end = (LeaseRequest.End) request;
    return ended(tx, end.lease(), end.move()) ? Optional.of(Delivery.NONE) : Optional.empty();
  }

  @Override
  public Optional<Delivery> lock(Tx tx, long partitionId, int messages) {
    return tx.sql("outbox_cursor_lock")
        .set("partition_id", partitionId)
        .first(row -> row.number("processed_seq"))
        .map(cursor -> read(tx, partitionId, messages));
  }

  @Override
  Map<Long, List<Long>> choose(Tx tx, Iterable<Long> partitions, int messages) {
    Map<Long, List<Long>> chosen = new LinkedHashMap<>();
    for (long partition : partitions) {
      chosen.putAll(
          chosen(
              tx.sql("outbox_sequence_choose")
                  .set("partition_id", partition)
                  .set("messages", messages)));
    }
    return chosen;
  }

  /** There is no other writer, so the lowest ids up to the last chosen one are still those. */
  @Override
  int remove(Tx tx, Map<Long, List<Long>> chosen) {
    int removed = 0;
    for (Map.Entry<Long, List<Long>> each : chosen.entrySet()) {
      List<Long> ids = each.getValue();
      removed +=
          tx.sql("outbox_incoming_delete")
              .set("partition_id", each.getKey())
              .set("last", ids.get(ids.size() - 1))
              .update();
    }
    return removed;
  }

  /** A statement fetches one row at a time, so nobody needs to know sizes beforehand. */
  @Override
  List<StoredMessage> withBodies(Tx tx, List<StoredMessage> places) {
    long[] ids = places.stream().mapToLong(StoredMessage::id).toArray();
    Map<Long, MessageBody> bodies = new HashMap<>();
    long[] bytes = {0};
    List<Long> read =
        tx.sql("outbox_read_bodies")
            .set("ids", PackedIds.json(ids))
            .list(
                row -> {
                  MessageBody body = body(row);
                  long id = row.number("id");
                  bodies.put(id, body);
                  bytes[0] += body.payload().length;
                  return id;
                },
                id -> id != ids[0] && bytes[0] > MOST_BYTES);
    long last = read.isEmpty() ? 0 : read.get(read.size() - 1);
    boolean tooLarge = last != ids[0] && bytes[0] > MOST_BYTES;
    List<StoredMessage> fitting = new ArrayList<>(places.size());
    for (StoredMessage place : places) {
      if (tooLarge && place.id() == last) {
        break;
      }
      fitting.add(new StoredMessage(place.seq(), place.id(), bodies.get(place.id())));
    }
    return fitting;
  }

  @Override
  public int cleanedTogether() {
    return CLEANED_TOGETHER;
  }

  /**
   * The messages of all partitions lie among each other, in the order in which they came. Where all
   * of them have been passed, whole pages become free, and those need not be written.
   */
  @Override
  public List<Vacuumed> vacuum(List<VacuumDue> due, int segments) {
    return transact(
        tx -> {
          List<Vacuumed> done = new ArrayList<>();
          LongStream.Builder ids = LongStream.builder();
          long messages = 0;
          for (VacuumDue each : due) {
            Passed passed = passed(tx, each, segments);
            LongStream.of(passed.ids()).forEach(ids);
            messages += passed.ids().length;
            done.add(passed.vacuumed());
            if (messages >= MOST_VACUUMED) {
              break;
            }
          }
          deleteBodies(tx, ids.build().toArray());
          return done;
        });
  }

  /** Neighbours as a range, which costs a fraction of what as many single rows do. */
  @Override
  void deleteBodies(Tx tx, long[] ids) {
    Arrays.sort(ids);
    LongStream.Builder single = LongStream.builder();
    int from = 0;
    while (from < ids.length) {
      int to = from + 1;
      while (to < ids.length && ids[to] == ids[to - 1] + 1) {
        to++;
      }
      if (to - from >= FEWEST_NEIGHBOURS) {
        tx.sql("outbox_body_delete_range")
            .set("first", ids[from])
            .set("last", ids[to - 1])
            .update();
      } else {
        Arrays.stream(ids, from, to).forEach(single);
      }
      from = to;
    }
    long[] rest = single.build().toArray();
    if (rest.length > 0) {
      super.deleteBodies(tx, rest);
    }
  }
}
