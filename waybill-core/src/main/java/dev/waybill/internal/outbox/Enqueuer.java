package dev.waybill.internal.outbox;

import dev.waybill.DatabaseException;
import dev.waybill.internal.outbox.Queues.Queue;
import dev.waybill.internal.sql.Database;
import dev.waybill.internal.sql.Tx;
import dev.waybill.internal.store.DedupStore;
import dev.waybill.internal.store.MessageStore;
import dev.waybill.internal.store.NewMessage;
import dev.waybill.outbox.EnqueueMessage;
import java.sql.Connection;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/** Validates messages and stores them in the caller's transaction. */
final class Enqueuer {
  private final Database database;
  private final MessageStore store;
  private final DedupStore dedup;
  private final Queues queues;
  private final Validation validation;
  private final Admission admission;
  private final Wake wake;
  private final Events events;

  /** Is told, after a commit, where messages wait. */
  interface Wake {
    void committed(Collection<Long> partitions, boolean delayed);
  }

  Enqueuer(
      Database database,
      MessageStore store,
      DedupStore dedup,
      Queues queues,
      Validation validation,
      Admission admission,
      Wake wake,
      Events events) {
    this.database = database;
    this.store = store;
    this.dedup = dedup;
    this.queues = queues;
    this.validation = validation;
    this.admission = admission;
    this.wake = wake;
    this.events = events;
  }

  Receipt enqueue(Connection connection, String queueName, List<EnqueueMessage> messages) {
    int[] numbers = validation.check(queueName, messages, queues::partitions);
    return enqueue(database.join(connection), queueName, messages, numbers, store::enqueue);
  }

  /**
   * The same as the last thing of a transaction of ours, which is perhaps committed with it:
   * nothing may follow but its end.
   *
   * @param departs has all depart that was enqueued before. From then on partitions are held, so it
   *     comes after everything that may be refused, and after the wait for whoever has one of the
   *     keys
   */
  Receipt enqueueLast(
      Tx tx,
      String queueName,
      List<EnqueueMessage> messages,
      Departure departure,
      Runnable departs) {
    int[] numbers = validation.check(queueName, messages, queues::partitions);
    if (messages.isEmpty() || areKeyed(messages)) {
      Receipt receipt = enqueue(tx, queueName, messages, numbers, store::enqueue);
      if (!messages.isEmpty()) {
        departure.add(receipt);
      }
      departs.run();
      return receipt;
    }
    Storing last =
        (in, all) -> {
          departs.run();
          return departure.storeLast(in, all, store);
        };
    Receipt receipt = enqueue(tx, queueName, messages, numbers, last);
    departure.addLast(receipt);
    return receipt;
  }

  private static boolean areKeyed(List<EnqueueMessage> messages) {
    return messages.stream().anyMatch(message -> message.dedupKey() != null);
  }

  /** How messages are stored. */
  private interface Storing {
    long[] store(Tx tx, List<NewMessage> messages);
  }

  private Receipt enqueue(
      Tx tx, String queueName, List<EnqueueMessage> messages, int[] numbers, Storing storing) {
    if (messages.isEmpty()) {
      return receipt(List.of(), List.of(), List.of());
    }
    Queue queue = queues.get(queueName);
    admission.admit(queue, messages);
    List<NewMessage> all = new ArrayList<>(messages.size());
    for (int i = 0; i < numbers.length; i++) {
      all.add(prepared(messages.get(i), queue.partitionIds().get(numbers[i])));
    }
    Receipt receipt = stored(tx, queue, messages, all, storing);
    events.enqueued(queueName, messages.size() - receipt.duplicates().size());
    return receipt;
  }

  private Receipt stored(
      Tx tx, Queue queue, List<EnqueueMessage> messages, List<NewMessage> all, Storing storing) {
    try {
      return areKeyed(messages)
          ? tx.wholly(() -> unlessKnown(tx, queue, messages, all))
          : receipt(boxed(storing.store(tx, all)), List.of(), all);
    } catch (DatabaseException e) {
      throw Tx.callers(e);
    }
  }

  private static NewMessage prepared(EnqueueMessage message, long partitionId) {
    Instant deliverAt = message.deliverAt();
    // Not every database can store such a time, and nobody has to wait for it.
    boolean atOnce = deliverAt != null && deliverAt.isBefore(Instant.EPOCH);
    return new NewMessage(
        partitionId,
        message.type(),
        message.key(),
        message.headers(),
        message.payload(),
        atOnce ? null : deliverAt,
        message.delay());
  }

  private Receipt receipt(List<Long> ids, List<Integer> duplicates, List<NewMessage> stored) {
    Set<Long> partitions = new TreeSet<>();
    boolean delayed = false;
    for (NewMessage message : stored) {
      boolean later = message.dueAt() != null || message.delay() != null;
      delayed |= later;
      if (!later) {
        partitions.add(message.partitionId());
      }
    }
    return new Receipt(ids, duplicates, List.copyOf(partitions), delayed, wake);
  }

  private static List<Long> boxed(long[] ids) {
    return LongStream.of(ids).boxed().toList();
  }

  /** Claims the de-duplication keys first; only messages whose key was free are stored. */
  private Receipt unlessKnown(
      Tx tx, Queue queue, List<EnqueueMessage> messages, List<NewMessage> all) {
    Set<String> keys =
        messages.stream()
            .map(EnqueueMessage::dedupKey)
            .filter(Objects::nonNull)
            .collect(Collectors.toSet());
    Map<String, Long> known =
        new HashMap<>(dedup.claim(tx, queue.id(), keys, queue.config().dedupWindow()));
    List<Integer> duplicates = new ArrayList<>();
    List<NewMessage> fresh = new ArrayList<>();
    Set<String> seen = new HashSet<>(known.keySet());
    for (int i = 0; i < messages.size(); i++) {
      String key = messages.get(i).dedupKey();
      if (key == null || seen.add(key)) {
        fresh.add(all.get(i));
      } else {
        duplicates.add(i);
      }
    }
    List<Long> stored = fresh.isEmpty() ? List.of() : boxed(store.enqueue(tx, fresh));
    Iterator<Long> given = stored.iterator();
    Map<String, Long> named = new HashMap<>();
    List<Long> ids = new ArrayList<>();
    for (EnqueueMessage message : messages) {
      String key = message.dedupKey();
      Long repeated = key == null ? null : known.get(key);
      long id = repeated == null ? given.next() : repeated;
      ids.add(id);
      if (key != null && repeated == null) {
        known.put(key, id);
        named.put(key, id);
      }
    }
    dedup.name(tx, queue.id(), named);
    return receipt(ids, duplicates, fresh);
  }
}
