package dev.waybill.internal.store;

import static dev.waybill.internal.store.Background.promptly;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.waybill.DatabaseException;
import dev.waybill.internal.store.Rotation.Limits;
import dev.waybill.outbox.DeadLetterFilter;
import dev.waybill.outbox.DeadLetterStatus;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.Fault;
import dev.waybill.testkit.FaultyDataSource;
import dev.waybill.testkit.Hold;
import dev.waybill.testkit.NotOn;
import dev.waybill.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * The rows of <i>partitions</i> and <i>processor</i> are written anew: they stay what they were,
 * and nobody misses them meanwhile.
 */
@EveryDatabase(alsoOldest = true)
@NotOn(
    value = {DatabaseProduct.MYSQL, DatabaseProduct.MARIADB, DatabaseProduct.SQLITE},
    why = "they remove old versions of single rows")
class RenewalTest {
  private final SlotsAtWork at;
  private final Stores stores;

  RenewalTest(TestDatabase database) {
    at = new SlotsAtWork(database);
    stores = at.stores;
  }

  /** Thinks that the tables are too large whenever they hold something. */
  private static Rotation rotation(Stores stores) {
    return Rotation.of(stores.database, new Limits(1L << 40, 1L << 40, 1, Duration.ofDays(1)))
        .orElseThrow();
  }

  private List<String> rows() throws SQLException {
    List<String> rows = new ArrayList<>();
    try (Connection connection = at.database.connect();
        var statement = connection.createStatement();
        var row =
            statement.executeQuery(
                "select p::text || c::text from waybill_outbox_partitions p"
                    + " left join waybill_outbox_processor c on c.partition_id = p.id order by p.id")) {
      while (row.next()) {
        rows.add(row.getString(1));
      }
    }
    return rows;
  }

  /** As many versions as fill some pages. */
  private void wear() throws SQLException {
    try (Connection connection = at.database.connect();
        var statement = connection.createStatement()) {
      for (int i = 0; i < 1_000; i++) {
        statement.execute("update waybill_outbox_processor set lease_epoch = lease_epoch + 1");
      }
    }
  }

  private long size() throws SQLException {
    return at.number("select pg_relation_size('waybill_outbox_processor')");
  }

  private Connection snapshot() throws SQLException {
    Connection connection = at.database.connect();
    connection.setAutoCommit(false);
    connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
    try (var statement = connection.createStatement()) {
      statement.execute("select count(*) from pg_class");
    }
    return connection;
  }

  @Test
  void theRowsStayWhatTheyAreAndTheirOldVersionsGo() throws Exception {
    at.database.execute(
        "update waybill_outbox_processor set last_error = '{\"a\", \\ NULL}' || chr(10) || ',()''',"
            + " paused_at = 7, processed_seq = 3, parked = 2, parked_due = 99 where partition_id = "
            + at.first);
    at.database.execute(
        "update waybill_outbox_processor set last_error = '', lease_owner = 'me', attempts = 4"
            + " where partition_id = "
            + at.second);
    at.database.execute("update waybill_outbox_partitions set sequence = 3");
    try (Connection idle = snapshot()) {
      wear();
      List<String> before = rows();
      assertThat(size()).isGreaterThan(100_000);

      assertThat(rotation(stores).turn().moved()).isTrue();
      assertThat(size()).isLessThan(10_000);
      assertThat(rows()).isEqualTo(before).hasSize(2);
      idle.rollback();
    }
    // Ids go on where they were.
    assertThat(stores.queues.grow("orders", 4).orElseThrow().partitionIds())
        .startsWith(at.first, at.second)
        .doesNotHaveDuplicates()
        .hasSize(4);
  }

  @Test
  void smallTablesAreLeftAlone() throws Exception {
    FaultyDataSource watched = new FaultyDataSource(at.database.dataSource());
    wear();
    Rotation usual =
        Rotation.of(new Stores(watched).database, Limits.standard(Duration.ofDays(1)))
            .orElseThrow();
    assertThat(usual.turn().moved()).isFalse();
    assertThat(watched.trace()).noneMatch(made -> made.sql().startsWith("lock table"));
  }

  @Test
  void whatDoesNotHelpIsTriedEverLessOften() {
    FaultyDataSource watched = new FaultyDataSource(at.database.dataSource());
    stores.enqueue(at.first, "a");
    at.deliver(at.first);
    Rotation rotation = rotation(new Stores(watched));
    for (int i = 0; i < 30; i++) {
      assertThat(rotation.turn().moved()).isFalse();
    }
    assertThat(watched.trace().stream().filter(made -> made.sql().startsWith("lock table")))
        .hasSize(4);
  }

  @Test
  void whoComesMeanwhileWaitsAndFindsTheRows() throws Exception {
    stores.enqueue(at.first, "a");
    at.sequence();
    stores.enqueue(at.second, "b");
    try (Connection idle = snapshot()) {
      wear();
      // Its commits: the look, then what it found to do.
      try (HeldCommit held = new HeldCommit(at.database.dataSource(), 2)) {
        Rotation slow = rotation(new Stores(held.source()));
        Background<Rotation.Turned> renewing = Background.run(slow::turn);
        held.awaitReached();
        Background<List<StoredMessage>> reader = Background.run(() -> at.waiting(at.first));
        at.awaitWaiting("waybill_outbox_partitions");
        // Producers do not need them.
        promptly(() -> stores.enqueue(at.first, "c"));
        held.release();
        assertThat(renewing.get().moved()).isTrue();
        assertThat(reader.get()).isNotEmpty();
      }
      idle.rollback();
    }
    assertThat(at.deliver(at.first)).containsExactly("a", "c");
    assertThat(at.deliver(at.second)).containsExactly("b");
  }

  @Test
  void aRunningHandlerIsNotWaitedForLong() throws Exception {
    stores.enqueue(at.first, "a");
    at.sequence();
    Rotation rotation = rotation(stores);
    try (Connection idle = snapshot();
        Connection handler = at.database.connect()) {
      wear();
      handler.setAutoCommit(false);
      var tx = stores.database.join(handler);
      assertThat(stores.messages.lock(tx, at.first, 5)).isPresent();
      Rotation.Turned turned = promptly(rotation::turn);
      assertThat(turned.moved()).isFalse();
      assertThat(turned.waiting()).isTrue();
      promptly(() -> stores.enqueue(at.second, "x"));
      assertThat(promptly(() -> at.deliver(at.second))).containsExactly("x");
      stores.messages.move(tx, at.first, CursorMove.doneUpTo(1), List.of());
      handler.commit();
      assertThat(rotation.eager().turn().moved()).isTrue();
      idle.rollback();
    }
    assertThat(stores.messages.state(at.first).processedSeq()).isEqualTo(1);
  }

  @Test
  void whateverFailsInBetweenTheRowsAreThere() throws Exception {
    FaultyDataSource faulty = new FaultyDataSource(at.database.dataSource());
    Stores unlucky = new Stores(faulty);
    try (Connection idle = snapshot()) {
      wear();
      List<String> before = rows();
      // The look, the row of rotation, the limit of the wait, the lock, thrice two, the size.
      for (int nth = 1; nth <= 11; nth++) {
        faulty.reset();
        faulty.on(Fault.statement(nth)).fail(Fault.Moment.AFTER);
        assertThatThrownBy(() -> rotation(unlucky).turn()).isInstanceOf(DatabaseException.class);
        assertThat(rows()).isEqualTo(before);
      }
      assertThat(size()).isGreaterThan(100_000);
      faulty.reset();
      assertThat(rotation(unlucky).turn().moved()).isTrue();
      assertThat(rows()).isEqualTo(before);
      idle.rollback();
    }
  }

  @Test
  void whoReadsDeadLettersOnASnapshotHoldsTheirNames() throws Exception {
    at.database.execute(
        "insert into waybill_outbox_dead_letters (partition_id, seq, message_id, type, payload,"
            + " created_at, last_error, attempts) values ("
            + at.first
            + ", 1, 1, 't', '', 0, 'no', 1)");
    try (Connection idle = snapshot()) {
      wear();
      FaultyDataSource watched = new FaultyDataSource(at.database.dataSource());
      Stores slow = new Stores(watched);
      Hold held = watched.on(Fault.sql(sql -> sql.contains("dead_letters\" d"))).hold();
      var letters = new DeadLetterStore(slow.database, slow.messages);
      Background<List<DeadLetterRow>> reading =
          Background.run(
              () -> letters.list(DeadLetterFilter.defaults(), Set.of(DeadLetterStatus.PENDING)));
      held.awaitReached(Duration.ofSeconds(20));
      assertThat(promptly(() -> rotation(stores).turn()).moved()).isFalse();
      held.release();
      assertThat(reading.get()).extracting(DeadLetterRow::queue).containsExactly("orders");
      assertThat(rotation(stores).turn().moved()).isTrue();
      idle.rollback();
    }
  }

  @Test
  void whoLooksWithAnOldSnapshotFindsNothingWaiting() throws Exception {
    stores.enqueue(at.first, "a");
    at.sequence();
    try (Connection old = snapshot()) {
      wear();
      assertThat(stores.messages.look(stores.database.join(old), at.first, 10).bodies()).hasSize(1);
      old.commit();
    }
    try (Connection old = snapshot()) {
      wear();
      assertThat(rotation(stores).turn().moved()).isTrue();
      assertThat(stores.messages.look(stores.database.join(old), at.first, 10).bodies()).isEmpty();
    }
  }
}
