package dev.waybill.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Producers whose transactions overlap at random, with one message or several per call, and
 * sequencers that run all the while. The test does one step after the other, so it knows what was
 * committed before what was enqueued: in every partition the numbers must say the same, have no
 * gaps, and be of committed messages only.
 */
@EveryDatabase
class CausalityTest {
  private static final int STEPS = 250;
  private static final int PARTITIONS = 3;
  private static final int MOST_OF_A_CALL = 4;

  /** Of a step: one for each message of a call, and that of the commit. */
  private static final int MOMENTS = MOST_OF_A_CALL + 1;

  private final TestDatabase database;
  private final Stores stores;

  CausalityTest(TestDatabase database) {
    this.database = database;
    this.stores = new Stores(database);
  }

  /** A message and when, in moments, it was enqueued and committed. */
  private record Sent(String name, long partition, int enqueuedAt, int committedAt) {}

  private static final class Producer {
    final Connection connection;
    final List<Sent> open = new ArrayList<>();

    Producer(Connection connection) {
      this.connection = connection;
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void numbersFollowCausality(long seed) throws Exception {
    Random random = new Random(seed);
    List<Long> partitions = stores.queue("causality" + seed, PARTITIONS);
    AtomicBoolean over = new AtomicBoolean();
    List<Background<Boolean>> sequencers = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      sequencers.add(Background.run(() -> sequenceUntil(over, partitions)));
    }
    List<Sent> committed = new ArrayList<>();
    List<Producer> producers = new ArrayList<>();
    try {
      // SQLite has one writer; elsewhere many transactions are open at the same time.
      int count = database.product() == DatabaseProduct.SQLITE ? 1 : 5;
      for (int i = 0; i < count; i++) {
        Connection connection = database.connect();
        connection.setAutoCommit(false);
        producers.add(new Producer(connection));
      }
      for (int step = 0; step < STEPS; step++) {
        step(step, random, producers.get(random.nextInt(count)), partitions, committed);
      }
    } finally {
      for (Producer each : producers) {
        each.connection.rollback();
        each.connection.close();
      }
      over.set(true);
      for (Background<Boolean> each : sequencers) {
        each.get();
      }
    }
    check(seed, partitions, committed);
  }

  private boolean sequenceUntil(AtomicBoolean over, List<Long> partitions) {
    long[] ids = partitions.stream().mapToLong(Long::longValue).toArray();
    boolean last;
    do {
      last = over.get();
      // Fewer than there are now and then, so that visits leave something behind.
      stores.messages.sequence(ids, 3);
    } while (!last);
    stores.messages.sequence(ids, STEPS * MOST_OF_A_CALL);
    return true;
  }

  private void step(
      int step, Random random, Producer producer, List<Long> partitions, List<Sent> committed)
      throws SQLException {
    int choice = random.nextInt(10);
    if (choice < 7 || producer.open.isEmpty()) {
      List<NewMessage> call = new ArrayList<>();
      int size = 1 + random.nextInt(MOST_OF_A_CALL);
      for (int place = 0; place < size; place++) {
        long partition = partitions.get(random.nextInt(PARTITIONS));
        String name = "m" + step + "." + place;
        call.add(Stores.message(partition, name));
        producer.open.add(new Sent(name, partition, step * MOMENTS + place, 0));
      }
      stores.messages.enqueue(stores.database.join(producer.connection), call);
      if (database.product() == DatabaseProduct.SQLITE && producer.open.size() > 3) {
        commit(step, producer, committed);
      }
    } else if (choice < 9) {
      commit(step, producer, committed);
    } else {
      producer.connection.rollback();
      producer.open.clear();
    }
  }

  private static void commit(int step, Producer producer, List<Sent> committed)
      throws SQLException {
    producer.connection.commit();
    for (Sent each : producer.open) {
      committed.add(new Sent(each.name, each.partition, each.enqueuedAt, (step + 1) * MOMENTS - 1));
    }
    producer.open.clear();
  }

  private void check(long seed, List<Long> partitions, List<Sent> committed) {
    assertThat(committed).hasSizeGreaterThan(50);
    for (long partition : partitions) {
      List<StoredMessage> numbered =
          stores
              .messages
              .lease(partition, "reader", Duration.ofMinutes(1), 10_000)
              .orElseThrow()
              .messages();
      List<Sent> mine = committed.stream().filter(each -> each.partition == partition).toList();
      assertThat(numbered)
          .as("seed %s: nothing lost, nothing from a rolled-back transaction", seed)
          .extracting(Stores::text)
          .containsExactlyInAnyOrderElementsOf(mine.stream().map(Sent::name).toList());
      Map<String, Long> numbers = new HashMap<>();
      for (int i = 0; i < numbered.size(); i++) {
        assertThat(numbered.get(i).seq()).as("no gap").isEqualTo(i + 1);
        numbers.put(String.valueOf(Stores.text(numbered.get(i))), i + 1L);
      }
      for (Sent a : mine) {
        for (Sent b : mine) {
          boolean oneTransaction = a.committedAt == b.committedAt && a.enqueuedAt < b.enqueuedAt;
          if (a.committedAt < b.enqueuedAt || oneTransaction) {
            assertThat(numbers.get(a.name))
                .as("seed %s: %s before %s", seed, a, b)
                .isLessThan(numbers.get(b.name));
          }
        }
      }
    }
  }
}
