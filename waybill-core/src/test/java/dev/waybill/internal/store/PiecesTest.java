package dev.waybill.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What one call enqueues may share a row; visits, deliveries and looks may begin and end in it. */
@EveryDatabase(alsoOldest = true)
class PiecesTest {
  private TestDatabase given;
  private Stores stores;
  private long first;
  private long second;

  @BeforeEach
  void openStores(TestDatabase database) {
    given = database.fresh();
    stores = new Stores(given);
    List<Long> partitions = stores.queue("orders", 2);
    first = partitions.get(0);
    second = partitions.get(1);
  }

  private record Sent(long id, String text) {}

  /** Enqueues as one may think of: one message, few, many, large ones between small ones. */
  private void enqueue(Random random, long[] partitions, Map<Long, List<Sent>> sent) {
    List<NewMessage> messages = new ArrayList<>();
    List<String> texts = new ArrayList<>();
    int n = random.nextInt(3) == 0 ? 1 : 1 + random.nextInt(random.nextBoolean() ? 8 : 300);
    for (int i = 0; i < n; i++) {
      int size = random.nextInt(40) == 0 ? 4_000 : random.nextInt(60);
      String text = sent.size() + ":" + i + ":" + random.nextInt() + "x".repeat(size);
      texts.add(text);
      messages.add(Stores.message(partitions[random.nextInt(partitions.length)], text));
    }
    long[] ids = stores.database.transact(tx -> stores.messages.enqueue(tx, messages));
    for (int i = 0; i < n; i++) {
      sent.computeIfAbsent(messages.get(i).partitionId(), id -> new ArrayList<>())
          .add(new Sent(ids[i], texts.get(i)));
    }
  }

  @Test
  void messagesComeInOrderHoweverTheyAreCut() {
    for (long seed = 1; seed <= 12; seed++) {
      Random random = new Random(seed);
      Map<Long, List<Sent>> sent = new HashMap<>(Map.of(first, new ArrayList<>()));
      Map<Long, List<Sent>> got = new HashMap<>(Map.of(first, new ArrayList<>()));
      long[] partitions = {first, second};
      for (int step = 0; step < 30; step++) {
        switch (random.nextInt(3)) {
          case 0 -> enqueue(random, partitions, sent);
          case 1 -> stores.messages.sequence(partitions, 1 + random.nextInt(150));
          default -> deliver(partitions[random.nextInt(2)], 1 + random.nextInt(90), random, got);
        }
      }
      for (long partition : partitions) {
        int all = sent.getOrDefault(partition, List.of()).size();
        for (int i = 0; i < 5_000 && got.getOrDefault(partition, List.of()).size() < all; i++) {
          stores.messages.sequence(partitions, 500);
          deliver(partition, 400, random, got);
        }
        assertThat(got.getOrDefault(partition, List.of()))
            .as("seed %s", seed)
            .containsExactlyElementsOf(sent.getOrDefault(partition, List.of()));
      }
      assertThat(stores.messages.vacuum(first, Duration.ofHours(1), 1).messages()).isZero();
    }
  }

  /** Takes a lease, reads on under it, and ends it somewhere; numbers have no gaps. */
  private void deliver(long partition, int messages, Random random, Map<Long, List<Sent>> got) {
    Delivery taken = stores.messages.lease(partition, "me", Stores.MINUTE, messages).orElse(null);
    if (taken == null) {
      return;
    }
    Lease lease = new Lease(partition, "me", taken.epoch(), Stores.MINUTE);
    long done = receive(partition, taken, messages, random, got);
    if (random.nextBoolean()) {
      Delivery more = stores.messages.next(lease, done, messages).orElseThrow();
      assertThat(more.processedSeq()).isEqualTo(done);
      done = receive(partition, more, messages, random, got);
    }
    assertThat(stores.messages.end(lease, CursorMove.doneUpTo(done), List.of())).isTrue();
  }

  private static long receive(
      long partition, Delivery delivery, int limit, Random random, Map<Long, List<Sent>> got) {
    List<StoredMessage> messages = delivery.messages();
    assertThat(messages).hasSizeLessThanOrEqualTo(limit);
    assertThat(messages.isEmpty()).isEqualTo(delivery.sequence() == delivery.processedSeq());
    int done = random.nextInt(4) > 0 ? messages.size() : random.nextInt(messages.size() + 1);
    long seq = delivery.processedSeq();
    for (StoredMessage message : messages) {
      assertThat(message.seq()).isEqualTo(++seq);
    }
    for (StoredMessage message : messages.subList(0, done)) {
      got.computeIfAbsent(partition, id -> new ArrayList<>())
          .add(new Sent(message.id(), String.valueOf(Stores.text(message))));
    }
    return delivery.processedSeq() + done;
  }

  @Test
  void whatIsReadOfARowIsWhatWasAskedFor() {
    stores.enqueue(first, "a");
    stores.enqueue(first, "b", "c", "d", "e", "f");
    stores.enqueue(first, "g", "h");
    stores.messages.sequence(new long[] {first}, 2);
    stores.messages.sequence(new long[] {first}, 100);
    for (int after = 0; after < 8; after++) {
      for (int n = 1; n < 9; n++) {
        Delivery peeked = stores.messages.peek(first, after, n);
        assertThat(peeked.messages())
            .extracting(Stores::text)
            .containsExactly("abcdefgh".substring(after, Math.min(8, after + n)).split(""));
        int most = n;
        MessageStore.Head head =
            stores.database.transact(tx -> stores.messages.look(tx, first, most));
        assertThat(head.bodies()).hasSize(most).containsEntry(1L, true);
      }
    }
  }

  @Test
  void aRowThatIsGoneTakesItsMessagesWithItAndNoOthers() {
    stores.enqueue(first, "a");
    long[] lost = stores.enqueue(first, "b", "c", "d");
    stores.enqueue(first, "e", "f");
    stores.messages.sequence(new long[] {first}, 100);
    stores.database.transact(
        tx -> {
          for (long id : lost) {
            tx.query(StoredRows.lose(given.product(), id)).update();
          }
          return true;
        });

    Delivery taken = stores.messages.lease(first, "me", Stores.MINUTE, 5).orElseThrow();

    assertThat(taken.messages()).extracting(StoredMessage::seq).containsExactly(1L, 2L, 3L, 4L, 5L);
    assertThat(taken.messages())
        .extracting(Stores::text)
        .containsExactly("a", null, null, null, "e");
    MessageStore.Head head = stores.database.transact(tx -> stores.messages.look(tx, first, 10));
    assertThat(head.bodies())
        .containsAllEntriesOf(
            Map.of(1L, true, 2L, false, 3L, false, 4L, false, 5L, true, 6L, true));
  }
}
