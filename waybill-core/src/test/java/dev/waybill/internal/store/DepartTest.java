package dev.waybill.internal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.waybill.Migrated;
import dev.waybill.internal.sql.Tx;
import dev.waybill.internal.store.LeaseRequest.Take;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.NotOn;
import dev.waybill.testkit.TestDatabase;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A transaction numbers and takes what it has enqueued itself, right before its commit. */
@EveryDatabase(alsoOldest = true)
@NotOn(
    value = {DatabaseProduct.MARIADB, DatabaseProduct.MYSQL, DatabaseProduct.SQLITE},
    why = "numbering takes several statements there, which would be the producer's")
class DepartTest {
  private final Stores stores;
  private final long partition;
  private final long other;

  DepartTest(TestDatabase database) {
    stores = new Stores(Migrated.on(database));
    List<Long> partitions = stores.queue("orders", 2);
    partition = partitions.get(0);
    other = partitions.get(1);
  }

  private long[] enqueued(Tx tx, long into, String... texts) {
    return Stream.of(texts)
        .map(text -> stores.messages.enqueue(tx, List.of(Stores.message(into, text))))
        .flatMapToLong(LongStream::of)
        .toArray();
  }

  private Optional<Delivery> depart(Tx tx, long[] ids) {
    return stores.messages.depart(tx, ids, "me", new Take(partition, Stores.MINUTE, 10));
  }

  private Optional<Delivery> departing(String... texts) {
    return stores.database.transact(tx -> depart(tx, enqueued(tx, partition, texts)));
  }

  private void end(Delivery delivery, long done) {
    Lease lease = new Lease(partition, "me", delivery.epoch(), Stores.MINUTE);
    assertThat(stores.messages.end(lease, CursorMove.doneUpTo(done), List.of())).isTrue();
  }

  /** What is there after all is numbered and delivered the ordinary way. */
  private List<String> delivered() {
    stores.messages.sequence(new long[] {partition}, 100);
    return stores
        .messages
        .lease(partition, "me", Stores.MINUTE, 100)
        .orElseThrow()
        .messages()
        .stream()
        .map(each -> each.seq() + Stores.text(each))
        .toList();
  }

  private static void execute(Tx tx, String sql) {
    try (Statement statement = tx.connection().createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void itsMessagesHaveNumbersAndALeaseWhenItHasCommitted() {
    Delivery delivery = departing("a", "b").orElseThrow();

    assertThat(delivery.messages())
        .extracting(StoredMessage::seq, Stores::text)
        .containsExactly(tuple(1L, "a"), tuple(2L, "b"));
    assertThat(delivery)
        .extracting(Delivery::processedSeq, Delivery::attempts, Delivery::epoch, Delivery::sequence)
        .containsExactly(0L, 1, 1L, 2L);
    PartitionState state = stores.messages.state(partition);
    assertThat(state.leaseOwner()).isEqualTo("me");
    assertThat(state.sequence()).isEqualTo(2);
    assertThat(stores.messages.sequence(new long[] {partition}, 10)).containsEntry(partition, 0);
    end(delivery, 2);

    Delivery next = departing("c").orElseThrow();

    assertThat(next.messages())
        .extracting(StoredMessage::seq, Stores::text)
        .containsExactly(tuple(3L, "c"));
    assertThat(next.epoch()).isEqualTo(2);
  }

  @Test
  void ofSeveralCallsAllGoOrNone() {
    Delivery delivery =
        stores
            .database
            .transact(
                tx -> {
                  long first = enqueued(tx, partition, "a")[0];
                  long second = enqueued(tx, partition, "b")[0];
                  assertThat(depart(tx, new long[] {second})).as("not all of them").isEmpty();
                  return depart(tx, new long[] {first, second});
                })
            .orElseThrow();

    assertThat(delivery.messages()).extracting(Stores::text).containsExactly("a", "b");
  }

  @Test
  void whatIsRolledBackLeavesNothing() {
    Optional<Delivery> taken =
        stores.database.session().rehearse(tx -> depart(tx, enqueued(tx, partition, "a")));

    assertThat(taken).isPresent();
    PartitionState state = stores.messages.state(partition);
    assertThat(state.sequence()).isZero();
    assertThat(state.epoch()).isZero();
    assertThat(state.leaseOwner()).isNull();
    stores.enqueue(partition, "b");
    assertThat(delivered()).containsExactly("1b");
  }

  @Test
  void aBatchIsLeftToOthers() {
    Optional<Delivery> taken =
        stores.database.transact(
            tx ->
                depart(
                    tx,
                    stores.messages.enqueue(
                        tx,
                        List.of(Stores.message(partition, "a"), Stores.message(partition, "b")))));
    assertThat(taken).isEmpty();
    assertThat(delivered()).containsExactly("1a", "2b");
  }

  /** It was there before, so it comes first. */
  @Test
  void whatWaitsForANumberIsNotPassedBy() {
    stores.enqueue(partition, "a");
    assertThat(departing("b")).isEmpty();
    assertThat(delivered()).containsExactly("1a", "2b");
  }

  @Test
  void whatWaitsForDeliveryIsNotPassedBy() {
    stores.enqueue(partition, "a");
    stores.messages.sequence(new long[] {partition}, 10);
    assertThat(departing("b")).isEmpty();
    assertThat(delivered()).containsExactly("1a", "2b");
  }

  @Test
  void aPauseALeaseOfSomebodyElseAndARetryAreRespected() {
    stores.queues.pause("orders", 0, 0);
    assertThat(departing("a")).isEmpty();
    stores.queues.resume("orders", 0, 0);
    stores.messages.sequence(new long[] {partition}, 10);
    Delivery theirs = stores.messages.lease(partition, "you", Stores.MINUTE, 10).orElseThrow();
    assertThat(departing("b")).isEmpty();
    Lease lease = new Lease(partition, "you", theirs.epoch(), Stores.MINUTE);
    stores.messages.end(lease, new CursorMove(1, 0, "later", Stores.MINUTE), List.of());
    stores.messages.sequence(new long[] {partition}, 10);
    assertThat(departing("c")).isEmpty();
  }

  @Test
  void whoNumbersThePartitionIsNotWaitedFor() {
    Optional<Delivery> taken =
        stores.database.transact(
            holder -> {
              execute(
                  holder,
                  "select 1 from waybill_outbox_partitions where id = "
                      + partition
                      + " for update");
              return departing("a");
            });
    assertThat(taken).isEmpty();
    assertThat(delivered()).containsExactly("1a");
  }

  /** Numbers that others see must be as durable, and as final, as those of a sequencer. */
  @Test
  void aTransactionThatIsNotDurableOrSeesAnOldSnapshotLeavesItToOthers() {
    for (String setting :
        List.of(
            "set local synchronous_commit = off",
            "set transaction isolation level repeatable read",
            "set transaction isolation level serializable")) {
      Optional<Delivery> taken =
          stores.database.transact(
              tx -> {
                execute(tx, setting);
                return depart(tx, enqueued(tx, partition, setting));
              });
      assertThat(taken).as(setting).isEmpty();
    }
    assertThat(delivered()).hasSize(3);
  }

  @Test
  void whatWasTakenBackToASavepointIsNotNumbered() {
    Optional<Delivery> taken =
        stores.database.transact(
            tx -> {
              execute(tx, "savepoint here");
              long[] ids = enqueued(tx, partition, "a");
              execute(tx, "rollback to savepoint here");
              return depart(tx, ids);
            });
    assertThat(taken).isEmpty();
    assertThat(stores.messages.state(partition).sequence()).isZero();
  }

  /** Else a client that falls silent before its commit would keep a partition for ever. */
  @Test
  void theServerDoesNotWaitLongerForTheCommitThanTheLeaseLasts() {
    String key = "idle_in_transaction_session_timeout";
    List<String> seen =
        stores.database.transact(
            tx -> {
              depart(tx, enqueued(tx, partition, "a"));
              return List.of(setting(tx, key));
            });
    assertThat(seen).containsExactly("1min");
    assertThat(stores.database.<String>transact(tx -> setting(tx, key))).isEqualTo("0");
    end(stores.messages.lease(partition, "me", Stores.MINUTE, 1).orElseThrow(), 1);
    String own =
        stores.database.transact(
            tx -> {
              execute(tx, "set local " + key + " = '7s'");
              assertThat(depart(tx, enqueued(tx, partition, "b"))).isPresent();
              return setting(tx, key);
            });
    assertThat(own).isEqualTo("7s");
  }

  private static String setting(Tx tx, String key) {
    try (Statement statement = tx.connection().createStatement();
        var result = statement.executeQuery("show " + key)) {
      result.next();
      return result.getString(1);
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void otherPartitionsAreOfNoConcern() {
    stores.enqueue(other, "x");
    assertThat(departing("a")).isPresent();
    assertThat(stores.messages.state(other).sequence()).isZero();
  }
}
