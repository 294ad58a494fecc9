package dev.waybill.internal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.waybill.internal.store.QueueStore.QueueRow;
import dev.waybill.internal.store.QueueStore.Wanted;
import dev.waybill.outbox.OutboxException.PartitionCountMismatch;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.NotOn;
import dev.waybill.testkit.TestDatabase;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import org.junit.jupiter.api.Test;

/** Several processes register the same queues for the first time, at the same time. */
@EveryDatabase
class RegistrationRaceTest {
  private static final int PROCESSES = 4;

  private final TestDatabase database;
  private final Stores stores;

  RegistrationRaceTest(TestDatabase database) {
    this.database = database;
    this.stores = new Stores(database);
  }

  private static List<Wanted> wanted(String prefix, int partitions) {
    List<Wanted> wanted = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      wanted.add(new Wanted(prefix + i, partitions, null));
    }
    return wanted;
  }

  @Test
  void withEqualCountsAllGetTheSameRows() throws Exception {
    for (int round = 0; round < 3; round++) {
      String prefix = "equal" + round + ".";
      CyclicBarrier start = new CyclicBarrier(PROCESSES);
      List<Background<List<QueueRow>>> all = new ArrayList<>();
      for (int i = 0; i < PROCESSES; i++) {
        List<Wanted> wanted = wanted(prefix, 4);
        if (i % 2 == 1) {
          // The order in which they are declared must not matter.
          Collections.reverse(wanted);
        }
        all.add(
            Background.run(
                () -> {
                  start.await();
                  return stores.queues.register(wanted);
                }));
      }
      for (Background<List<QueueRow>> each : all) {
        assertThat(each.get())
            .hasSize(3)
            .allSatisfy(row -> assertThat(row.partitionIds()).hasSize(4))
            .containsExactlyInAnyOrderElementsOf(all.get(0).get());
      }
      complete(prefix, 12);
    }
  }

  @Test
  void withDifferentCountsTheFirstOneHoldsAndTheOthersAreTold() throws Exception {
    for (int round = 0; round < 3; round++) {
      String prefix = "different" + round + ".";
      CyclicBarrier start = new CyclicBarrier(PROCESSES);
      List<Background<Integer>> all = new ArrayList<>();
      for (int i = 0; i < PROCESSES; i++) {
        int count = i % 2 == 0 ? 2 : 8;
        all.add(
            Background.run(
                () -> {
                  start.await();
                  try {
                    stores.queues.register(wanted(prefix, count));
                    return count;
                  } catch (PartitionCountMismatch e) {
                    return -count;
                  }
                }));
      }
      List<Integer> outcomes = new ArrayList<>();
      for (Background<Integer> each : all) {
        outcomes.add(each.get());
      }
      boolean two = outcomes.contains(2);
      assertThat(outcomes)
          .containsExactlyInAnyOrder(two ? 2 : -2, two ? 2 : -2, two ? -8 : 8, two ? -8 : 8);
      complete(prefix, two ? 6 : 24);
    }
  }

  @Test
  @NotOn(
      value = DatabaseProduct.SQLITE,
      why = "who comes second waits for the file before it looks, so there is nothing to see")
  void whoComesSecondWaitsForTheFirstAndThenComparesCounts() throws Exception {
    try (HeldCommit held = new HeldCommit(database.dataSource(), 2)) {
      QueueStore slow = new Stores(held.source()).queues;
      // The look before the transaction is a commit as well, hence the second one.
      Background<List<QueueRow>> first = Background.run(() -> slow.register(wanted("waiting", 2)));
      held.awaitReached();
      Background<List<QueueRow>> second =
          Background.run(() -> stores.queues.register(wanted("waiting", 8)));
      Background<List<QueueRow>> third =
          Background.run(() -> stores.queues.register(wanted("waiting", 2)));
      held.release();
      assertThat(first.get()).hasSize(3);
      assertThatThrownBy(second::get).isInstanceOf(PartitionCountMismatch.class);
      assertThat(third.get()).isEqualTo(first.get());
    }
    complete("waiting", 6);
  }

  /** Every partition has its cursor and its vacuum, once. */
  private void complete(String prefix, int partitions) {
    String mine =
        " from waybill_outbox_partitions p join waybill_outbox_queues q on q.id = p.queue_id";
    for (String table : List.of("processor", "vacuum")) {
      long rows =
          stores.database.single(
              tx ->
                  tx.query(
                          "select count(*) as n"
                              + mine
                              + " join waybill_outbox_"
                              + table
                              + " c on c.partition_id = p.id where q.name like '"
                              + prefix
                              + "%'")
                      .one(row -> row.number("n")));
      assertThat(rows).as(table).isEqualTo(partitions);
    }
  }
}
