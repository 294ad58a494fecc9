package dev.waybill.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.Migrated;
import dev.waybill.internal.sql.Tx;
import dev.waybill.internal.store.LeaseRequest.Take;
import dev.waybill.internal.store.MessageStore.Departed;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.NotOn;
import dev.waybill.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** A message that is the last thing of its transaction is stored, numbered and taken at once. */
@EveryDatabase(alsoOldest = true)
@NotOn(
    value = {DatabaseProduct.MARIADB, DatabaseProduct.MYSQL, DatabaseProduct.SQLITE},
    why = "only PostgreSQL takes a statement and the commit at once")
class DepartLastTest {
  private final TestDatabase database;
  private final Stores stores;
  private final long partition;

  DepartLastTest(TestDatabase given) {
    database = Migrated.on(given);
    stores = new Stores(database);
    partition = stores.queue("orders", 2).get(0);
  }

  private Departed departing(Tx tx, String text) {
    return stores.messages.departLast(
        tx, Stores.message(partition, text), "me", new Take(partition, Stores.MINUTE, 10));
  }

  private Departed departing(String text) {
    return stores.database.transact(tx -> departing(tx, text));
  }

  private void end(Delivery delivery) {
    Lease lease = new Lease(partition, "me", delivery.epoch(), Stores.MINUTE);
    CursorMove all = CursorMove.doneUpTo(delivery.sequence());
    assertThat(stores.messages.end(lease, all, List.of())).isTrue();
  }

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
  void whatIsTakenIsWhatIsThere() {
    NewMessage message =
        new NewMessage(partition, "type", "key", Map.of("a", "b"), new byte[] {1, 2}, null, null);
    Departed departed =
        stores.database.transact(
            tx ->
                stores.messages.departLast(
                    tx, message, "me", new Take(partition, Stores.MINUTE, 10)));

    Delivery taken = departed.taken().orElseThrow();
    StoredMessage mine = taken.messages().get(0);
    assertThat(mine.id()).isEqualTo(departed.id());
    assertThat(stores.messages.state(partition))
        .extracting(PartitionState::leaseOwner, PartitionState::sequence)
        .containsExactly("me", 1L);
    StoredMessage there = stores.messages.peek(partition, 0, 10).messages().get(0);
    assertThat(there.id()).isEqualTo(mine.id());
    MessageBody body = Objects.requireNonNull(there.body());
    MessageBody given = Objects.requireNonNull(mine.body());
    assertThat(given).usingRecursiveComparison().isEqualTo(body);
    assertThat(body.createdAt()).isAfter(Instant.now().minus(Duration.ofMinutes(5)));
    end(taken);
    assertThat(departing("next").taken().orElseThrow().messages())
        .extracting(StoredMessage::seq)
        .containsExactly(2L);
  }

  /** The transaction has ended when the statement has. */
  @Test
  void itIsCommittedWithTheStatement() throws SQLException {
    try (Connection connection = database.connect()) {
      connection.setAutoCommit(false);
      departing(stores.database.join(connection), "a");
      assertThat(stores.messages.state(partition).sequence()).isEqualTo(1);
      connection.rollback();
    }
    assertThat(stores.messages.state(partition).sequence()).isEqualTo(1);
  }

  @Test
  void whatWaitsIsNotPassedBy() {
    stores.enqueue(partition, "a");
    assertThat(departing("b").taken()).isEmpty();
    stores.messages.sequence(new long[] {partition}, 1);
    assertThat(departing("c").taken()).isEmpty();
    assertThat(delivered()).containsExactly("1a", "2b", "3c");
  }

  @Test
  void whatItsOwnTransactionHasEnqueuedComesFirst() {
    stores.database.transact(
        tx -> {
          stores.messages.enqueue(tx, List.of(Stores.message(partition, "a")));
          assertThat(departing(tx, "b").taken()).isEmpty();
          return true;
        });
    assertThat(delivered()).containsExactly("1a", "2b");
  }

  @Test
  void aPauseALeaseOfSomebodyElseAndARetryAreRespected() {
    stores.queues.pause("orders", 0, 0);
    assertThat(departing("a").taken()).isEmpty();
    stores.queues.resume("orders", 0, 0);
    stores.messages.sequence(new long[] {partition}, 10);
    Delivery theirs = stores.messages.lease(partition, "you", Stores.MINUTE, 10).orElseThrow();
    assertThat(departing("b").taken()).isEmpty();
    Lease lease = new Lease(partition, "you", theirs.epoch(), Stores.MINUTE);
    stores.messages.end(lease, new CursorMove(1, 0, "later", Stores.MINUTE), List.of());
    stores.messages.sequence(new long[] {partition}, 10);
    assertThat(departing("c").taken()).isEmpty();
  }

  @Test
  void whoNumbersThePartitionIsNotWaitedFor() {
    Departed departed =
        stores.database.transact(
            holder -> {
              execute(
                  holder,
                  "select 1 from waybill_outbox_partitions where id = "
                      + partition
                      + " for update");
              return departing("a");
            });
    assertThat(departed.taken()).isEmpty();
    assertThat(delivered()).containsExactly("1a");
  }

  @Test
  void aTransactionThatIsNotDurableOrSeesAnOldSnapshotLeavesItToOthers() {
    List<String> expected = new ArrayList<>();
    for (String setting :
        List.of(
            "set local synchronous_commit = off",
            "set transaction isolation level repeatable read",
            "set transaction isolation level serializable")) {
      Departed departed =
          stores.database.transact(
              tx -> {
                execute(tx, setting);
                return departing(tx, "x");
              });
      assertThat(departed.taken()).as(setting).isEmpty();
      expected.add((expected.size() + 1) + "x");
    }
    assertThat(delivered()).containsExactlyElementsOf(expected);
  }
}
