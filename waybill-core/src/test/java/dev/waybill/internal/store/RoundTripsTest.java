package dev.waybill.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.internal.sql.Shelf;
import dev.waybill.schema.Schema;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.FaultyDataSource;
import dev.waybill.testkit.NotOn;
import dev.waybill.testkit.Operation;
import dev.waybill.testkit.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * What each step of a message costs in calls to the database, its commit included: not more for a
 * thousand messages, nor for many partitions where one statement can take them all.
 */
@EveryDatabase
@NotOn(value = DatabaseProduct.SQLITE, why = "a call goes nowhere: statements cost no round trip")
class RoundTripsTest {
  private static final int PARTITIONS = 16;

  private final DatabaseProduct product;
  private final FaultyDataSource watched;
  private final Stores stores;
  private final List<Long> partitions;

  RoundTripsTest(TestDatabase database) {
    this.product = database.product();
    Schema.migrate(database.dataSource());
    this.watched = new FaultyDataSource(database.dataSource());
    this.stores = new Stores(watched);
    this.partitions = stores.queue("trips", PARTITIONS);
    stores.messages.releaseAll("me");
    // Whoever comes first learns which slots are in use.
    enqueue(1);
    sequence();
  }

  private void enqueue(int perPartition) {
    List<NewMessage> all = new ArrayList<>();
    for (int i = 0; i < perPartition; i++) {
      partitions.forEach(partition -> all.add(Stores.message(partition, "x")));
    }
    stores.database.transact(tx -> stores.messages.enqueue(tx, all));
  }

  private void sequence() {
    stores.messages.sequence(partitions.stream().mapToLong(Long::longValue).toArray(), 5_000);
  }

  /** Statements about our tables, and commits. */
  private long calls(Runnable step) {
    watched.reset();
    step.run();
    return watched.trace().stream()
        .filter(
            call ->
                call.kind() == Operation.Kind.COMMIT
                    || call.sql().contains("waybill")
                    || call.sql().contains("auto_increment_increment"))
        .count();
  }

  private void costs(Runnable step, int onPostgres, int elsewhere) {
    boolean postgres = product == DatabaseProduct.POSTGRESQL;
    assertThat(calls(step)).isLessThanOrEqualTo(postgres ? onPostgres : elsewhere);
  }

  @Test
  void oneMessageOrAThousandAreEnqueuedWithAsManyCalls() {
    costs(() -> enqueue(1), 1 + 1, 1 + 1);
    costs(() -> enqueue(200), 1 + 1, 1 + 1);
  }

  @Test
  void allDirtyPartitionsAreNumberedTogether() {
    enqueue(20);
    costs(this::sequence, 1, 3 + 1);
  }

  /** The change of a mode is a call, too, that is not seen here: SessionApartTest counts those. */
  @Test
  void aLeaseThatHasMoreToDoIsRenewedWithWhatItReads() {
    enqueue(20);
    sequence();
    Shelf shelf = new Shelf(1, System::nanoTime, () -> {});
    MessageStore messages = MessageStore.of(stores.database.keeping(shelf));
    long partition = partitions.get(0);
    Delivery taken = messages.lease(partition, "me", Stores.MINUTE, 3).orElseThrow();
    Lease lease = new Lease(partition, "me", taken.epoch(), Stores.MINUTE);
    for (int cycle = 1; cycle <= 4; cycle++) {
      long done = taken.processedSeq() + 3L * cycle;
      boolean warm = cycle > 1;
      costs(
          () -> assertThat(messages.next(lease, done, 3)).isPresent(), 1 + 1, warm ? 1 + 1 : 2 + 1);
    }
    costs(
        () ->
            assertThat(messages.round("me", List.of(end(lease, taken.processedSeq() + 15))))
                .hasSize(1),
        1 + 1,
        1);
    shelf.close();
  }

  private static LeaseRequest end(Lease lease, long processedSeq) {
    return new LeaseRequest.End(lease, CursorMove.doneUpTo(processedSeq));
  }

  @Test
  void theEndsOfLeasesAreStoredTogether() {
    enqueue(20);
    sequence();
    List<LeaseRequest> takes = new ArrayList<>();
    partitions.forEach(id -> takes.add(new LeaseRequest.Take(id, Stores.MINUTE, 20)));
    List<LeaseRequest> ends = new ArrayList<>();
    stores
        .messages
        .round("me", takes)
        .forEach(
            (id, taken) ->
                ends.add(
                    end(
                        new Lease(id, "me", taken.epoch(), Stores.MINUTE),
                        taken.processedSeq() + 1)));
    costs(() -> assertThat(stores.messages.round("me", ends)).hasSize(PARTITIONS), 1 + 1, 1 + 1);
  }

  @Test
  void whoNumbersTakesForAFewCallsMore() {
    enqueue(20);
    sequence();
    delivered();
    enqueue(20);
    List<LeaseRequest.Take> all = new ArrayList<>();
    partitions.forEach(id -> all.add(new LeaseRequest.Take(id, Stores.MINUTE, 20)));
    long[] ids = partitions.stream().mapToLong(Long::longValue).toArray();
    costs(
        () -> assertThat(stores.messages.sequence(ids, 100, "me", all).taken()).hasSize(PARTITIONS),
        1 + 1,
        6 + 1);
  }

  private void delivered() {
    List<LeaseRequest> takes = new ArrayList<>();
    partitions.forEach(id -> takes.add(new LeaseRequest.Take(id, Stores.MINUTE, 1)));
    stores
        .messages
        .round("me", takes)
        .forEach(
            (id, taken) ->
                stores.messages.end(
                    new Lease(id, "me", taken.epoch(), Stores.MINUTE),
                    CursorMove.doneUpTo(taken.sequence()),
                    List.of()));
  }

  @Test
  void theLeasesOfAllPartitionsAreTakenTogether() {
    enqueue(20);
    sequence();
    List<LeaseRequest> all = new ArrayList<>();
    partitions.forEach(id -> all.add(new LeaseRequest.Take(id, Stores.MINUTE, 20)));
    costs(() -> assertThat(stores.messages.round("me", all)).hasSize(PARTITIONS), 1 + 1, 3 + 1);
  }

  @Test
  void aTransactionLocksReadsAndMovesTheCursor() {
    enqueue(20);
    sequence();
    long partition = partitions.get(1);
    costs(
        () ->
            stores.database.transact(
                tx -> {
                  Delivery read = stores.messages.lock(tx, partition, 5).orElseThrow();
                  stores.messages.move(
                      tx, partition, CursorMove.doneUpTo(read.processedSeq() + 5), List.of());
                  return true;
                }),
        2 + 1,
        3 + 1);
  }
}
