package dev.waybill.internal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.waybill.DatabaseException;
import dev.waybill.DatabaseException.Kind;
import dev.waybill.Migrated;
import dev.waybill.internal.sql.Shelf;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.Fault;
import dev.waybill.testkit.Fault.Moment;
import dev.waybill.testkit.FaultyDataSource;
import dev.waybill.testkit.Hold;
import dev.waybill.testkit.NotOn;
import dev.waybill.testkit.Operation;
import dev.waybill.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * One lease that moves its cursor and reads on, again and again: two statements, each of which is a
 * transaction by itself, and whatever may happen between them.
 */
@EveryDatabase
@NotOn(
    value = {DatabaseProduct.POSTGRESQL, DatabaseProduct.SQLITE},
    why = "PostgreSQL has one statement for both, and SQLite one writer")
@Timeout(120)
class LoneCycleTest {
  private static final Fault MOVE = Fault.sql(sql -> sql.contains("c.lease_epoch = t.epoch and"));
  private static final Fault READ = Fault.sql(sql -> sql.contains("-2 as seq"));
  private static final Fault READ_LARGE =
      Fault.sql(sql -> sql.startsWith("select id, payload from"));

  private final TestDatabase database;
  private final FaultyDataSource watched;
  private final Shelf shelf = new Shelf(2, System::nanoTime, () -> {});
  private final Stores others;
  private final MessageStore messages;
  private final long partition;

  LoneCycleTest(TestDatabase database) {
    this.database = Migrated.on(database);
    others = new Stores(this.database);
    partition = others.queue("orders", 1).get(0);
    watched = new FaultyDataSource(this.database.dataSource());
    messages = MessageStore.of(Stores.open(watched).keeping(shelf));
  }

  @AfterEach
  void giveBack() {
    watched.reset();
    shelf.close();
  }

  private void enqueue(String... payloads) {
    Stream.of(payloads).forEach(each -> others.enqueue(partition, each));
    others.messages.sequence(new long[] {partition}, 100);
  }

  /** A lease that is in the midst of its cycles: two messages are done, the third was read. */
  private Lease held() {
    return held(messages);
  }

  private Lease held(MessageStore by) {
    Delivery taken = by.lease(partition, "me", Stores.MINUTE, 1).orElseThrow();
    Lease lease = new Lease(partition, "me", taken.epoch(), Stores.MINUTE);
    for (int done = 1; done <= 2; done++) {
      assertThat(texts(by.next(lease, done, 1))).hasSize(1);
    }
    watched.reset();
    return lease;
  }

  private static List<String> texts(Optional<Delivery> delivery) {
    return delivery.orElseThrow().messages().stream()
        .map(each -> String.valueOf(Stores.text(each)))
        .toList();
  }

  private PartitionState state() {
    return others.messages.state(partition);
  }

  private List<String> calls() {
    return watched.trace().stream().map(Operation::text).toList();
  }

  /** Runs a cycle that stops before the fault, where the others do what they like. */
  private Optional<Delivery> meanwhile(Fault where, Lease lease, int most, Meanwhile others)
      throws Exception {
    Hold hold = watched.on(where).hold();
    Background<Optional<Delivery>> cycle = Background.run(() -> messages.next(lease, 3, most));
    hold.awaitReached(Stores.MINUTE);
    others.happens();
    hold.release();
    return cycle.get();
  }

  private interface Meanwhile {
    void happens() throws Exception;
  }

  private void theLeaseIsOver() throws SQLException {
    database.execute("update waybill_outbox_processor set lease_until = 0");
  }

  @Test
  void itIsTwoCalls() {
    enqueue("a", "b", "c", "d", "e");
    Lease lease = held();
    Delivery next = messages.next(lease, 3, 10).orElseThrow();
    assertThat(texts(Optional.of(next))).containsExactly("d", "e");
    assertThat(next.epoch()).isEqualTo(lease.epoch());
    assertThat(next.attempts()).isEqualTo(1);
    assertThat(next.sequence()).isEqualTo(5);
    assertThat(calls()).hasSize(2).noneMatch("commit"::equals);
    assertThat(state().processedSeq()).isEqualTo(3);
    assertThat(state().lease()).isPositive();
  }

  @Test
  void whatIsLargeIsReadByAThird() {
    String large = "x".repeat(3 * 1024 * 1024);
    enqueue("a", "b", "c", large, "e");
    Lease lease = held();
    assertThat(texts(messages.next(lease, 3, 10))).containsExactly(large, "e");
    assertThat(calls()).hasSize(3).noneMatch("commit"::equals);
  }

  @Test
  void whoLosesTheConnectionInBetweenGoesOnBehindWhatIsDone() {
    enqueue("a", "b", "c", "d", "e");
    for (Runnable cut :
        List.<Runnable>of(
            () -> watched.on(MOVE).cut(Moment.AFTER),
            () -> watched.on(READ).cut(Moment.BEFORE),
            () -> watched.on(READ).cut(Moment.AFTER))) {
      Lease lease = held();
      cut.run();
      assertThat(
              catchThrowableOfType(DatabaseException.class, () -> messages.next(lease, 3, 1))
                  .kind())
          .isEqualTo(Kind.DISCONNECTED);
      assertThat(state().processedSeq()).isEqualTo(3);
      assertThat(state().leaseOwner()).isEqualTo("me");

      assertThat(others.messages.lease(partition, "another", Stores.MINUTE, 1)).isEmpty();
      Delivery again = messages.lease(partition, "me", Stores.MINUTE, 1).orElseThrow();
      assertThat(texts(Optional.of(again))).containsExactly("d");
      assertThat(again.epoch()).isEqualTo(lease.epoch() + 1);
      assertThat(messages.next(lease, 4, 1)).as("of before").isEmpty();
      backToTheBeginning();
    }
  }

  private void backToTheBeginning() {
    try {
      database.execute(
          "update waybill_outbox_processor"
              + " set processed_seq = 0, attempts = 0, lease_until = 0, lease_owner = null");
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void aMoveThatWasNotMadeIsNotMadeHalf() {
    enqueue("a", "b", "c", "d");
    Lease lease = held();
    watched.on(MOVE).cut(Moment.BEFORE);
    assertThat(
            catchThrowableOfType(DatabaseException.class, () -> messages.next(lease, 3, 1)).kind())
        .isEqualTo(Kind.DISCONNECTED);
    assertThat(state().processedSeq()).isEqualTo(2);
    assertThat(texts(messages.lease(partition, "me", Stores.MINUTE, 1))).containsExactly("c");
  }

  @Test
  void whateverIsInTheWayIsMetAgainFromTheBeginning() {
    enqueue("a", "b", "c", "d", "e");
    Lease lease = held();
    watched.on(MOVE).fail(Moment.BEFORE, new SQLException("deadlock", "40001", 1213));
    assertThat(texts(messages.next(lease, 3, 1))).containsExactly("d");
    watched.reset();
    watched.on(READ).fail(Moment.BEFORE, new SQLException("metadata lock", "HY000", 1205));
    assertThat(texts(messages.next(lease, 4, 1))).containsExactly("e");
    assertThat(state().processedSeq()).isEqualTo(4);
    assertThat(state().attempts()).isEqualTo(1);
  }

  @Test
  void aRowThatSomebodyHasLockedIsWaitedFor() throws Exception {
    enqueue("a", "b", "c", "d");
    Lease lease = held();
    try (Connection operator = database.connect()) {
      operator.setAutoCommit(false);
      try (var statement = operator.createStatement()) {
        statement.execute("update waybill_outbox_processor set last_error = 'x'");
      }
      Hold waits = watched.on(MOVE).hold();
      Background<Optional<Delivery>> cycle = Background.run(() -> messages.next(lease, 3, 1));
      waits.awaitReached(Stores.MINUTE);
      waits.release();
      operator.commit();
      assertThat(texts(cycle.get())).containsExactly("d");
    }
  }

  @Test
  void whatAnotherHasTakenInBetweenIsHisAlone() throws Exception {
    enqueue("a", "b", "c", "d", "e");
    Lease lease = held();
    assertThat(
            meanwhile(
                READ,
                lease,
                10,
                () -> {
                  theLeaseIsOver();
                  assertThat(texts(others.messages.lease(partition, "another", Stores.MINUTE, 1)))
                      .containsExactly("d");
                }))
        .isEmpty();
    assertThat(state().leaseOwner()).isEqualTo("another");
    assertThat(state().epoch()).isEqualTo(lease.epoch() + 1);
    assertThat(state().processedSeq()).isEqualTo(3);
    assertThat(messages.end(lease, CursorMove.doneUpTo(5), List.of())).isFalse();
  }

  @Test
  void whatAnotherHasDoneInBetweenIsNotReadAgain() throws Exception {
    enqueue("a", "b", "c", "d", "e");
    Lease lease = held();
    assertThat(
            meanwhile(
                READ,
                lease,
                10,
                () -> {
                  theLeaseIsOver();
                  long epoch =
                      others
                          .messages
                          .lease(partition, "another", Stores.MINUTE, 1)
                          .orElseThrow()
                          .epoch();
                  Lease theirs = new Lease(partition, "another", epoch, Stores.MINUTE);
                  assertThat(others.messages.end(theirs, CursorMove.doneUpTo(4), List.of()))
                      .isTrue();
                  others.messages.vacuum(partition, Duration.ZERO, 10);
                }))
        .isEmpty();
    assertThat(state().processedSeq()).isEqualTo(4);
    assertThat(state().leaseOwner()).isNull();
  }

  /** It takes no lease, so the number of the lease stays. */
  @Test
  void whatATransactionHasMovedInBetweenIsNotReadAgain() throws Exception {
    enqueue("a", "b", "c", "d", "e");
    Lease lease = held();
    assertThat(
            meanwhile(
                READ,
                lease,
                10,
                () -> {
                  theLeaseIsOver();
                  others.database.transact(
                      tx -> {
                        assertThat(others.messages.lock(tx, partition, 1)).isPresent();
                        others.messages.move(tx, partition, CursorMove.doneUpTo(4), List.of());
                        return 0;
                      });
                }))
        .isEmpty();
    assertThat(state().processedSeq()).isEqualTo(4);
  }

  @Test
  void aLeaseThatWasGivenBackInBetweenIsNotGoneOnWith() throws Exception {
    enqueue("a", "b", "c", "d");
    assertThat(meanwhile(READ, held(), 10, () -> others.messages.releaseAll("me"))).isEmpty();
    assertThat(state().leaseOwner()).isNull();
    assertThat(state().processedSeq()).isEqualTo(3);
  }

  /** As a copy does to which some proxies send what is read outside a transaction. */
  @Test
  void whatDoesNotShowTheMoveIsReadAgainUnderALock() throws Exception {
    enqueue("a", "b", "c", "d", "e");
    Lease lease = held();
    Optional<Delivery> next =
        meanwhile(
            READ,
            lease,
            10,
            () -> database.execute("update waybill_outbox_processor set processed_seq = 2"));
    assertThat(texts(next)).containsExactly("d", "e");
    assertThat(calls()).contains("commit");
    assertThat(state().processedSeq()).isEqualTo(3);
    assertThat(texts(messages.next(lease, 4, 1))).containsExactly("e");
  }

  @Test
  void largeOnesThatAnotherHasDoneAndRemovedMeanwhileAreNotMissed() throws Exception {
    enqueue("a", "b", "c", "x".repeat(3 * 1024 * 1024), "e");
    Lease lease = held();
    assertThat(
            meanwhile(
                READ_LARGE,
                lease,
                10,
                () -> {
                  theLeaseIsOver();
                  others.database.transact(
                      tx -> {
                        others.messages.lock(tx, partition, 1);
                        others.messages.move(tx, partition, CursorMove.doneUpTo(5), List.of());
                        return 0;
                      });
                  others.messages.vacuum(partition, Duration.ZERO, 10);
                }))
        .isEmpty();
    assertThat(state().processedSeq()).isEqualTo(5);
  }

  /** Only what a transaction misses, too, is missing. */
  @Test
  void whatSomebodyRemovedIsMissing() throws Exception {
    enqueue("a", "b", "c", "d", "e");
    Lease lease = held();
    database.execute("delete from waybill_outbox_body where seq = 4");
    Delivery next = messages.next(lease, 3, 10).orElseThrow();
    assertThat(next.messages()).extracting(StoredMessage::seq).containsExactly(4L, 5L);
    assertThat(next.messages().get(0).body()).isNull();
    assertThat(calls()).contains("commit");
    assertThat(state().processedSeq()).isEqualTo(3);
  }

  @Test
  void whoPausesInBetweenStopsWhatComesAfterTheLease() throws Exception {
    enqueue("a", "b", "c", "d");
    Lease lease = held();
    assertThat(texts(meanwhile(READ, lease, 1, () -> others.queues.pause("orders", 0, 0))))
        .containsExactly("d");
    assertThat(state().paused()).isTrue();
    assertThat(messages.round("me", List.of(end(lease, CursorMove.doneUpTo(3))))).hasSize(1);
    assertThat(messages.lease(partition, "me", Stores.MINUTE, 1)).isEmpty();
  }

  private static LeaseRequest end(Lease lease, CursorMove move) {
    return new LeaseRequest.End(lease, move);
  }

  @Test
  void anEndIsOneCallAndAFailureIsStoredWithIts() {
    enqueue("a", "b", "c", "d");
    Lease lease = held();
    assertThat(messages.round("me", List.of(end(lease, CursorMove.doneUpTo(2))))).hasSize(1);
    assertThat(calls()).hasSize(1);
    assertThat(state().leaseOwner()).isNull();
    backToTheBeginning();

    Lease again = held();
    var failed = new CursorMove(2, 1, "closed", Duration.ofMinutes(10));
    assertThat(messages.round("me", List.of(end(again, failed)))).hasSize(1);
    assertThat(state().processedSeq()).isEqualTo(2);
    assertThat(state().lastError()).isEqualTo("closed");
    assertThat(state().notBefore()).isPositive();
    assertThat(messages.lease(partition, "me", Stores.MINUTE, 1)).as("not before").isEmpty();
  }

  @Test
  void whatElseNeedsATransactionHasOneOnTheSameConnection() {
    enqueue("a", "b", "c");
    Lease lease = held();
    others.enqueue(partition, "d");
    watched.on(Fault.sql(sql -> sql.contains("p.sequence = t.sequence"))).fail(Moment.AFTER);
    assertThat(
            catchThrowableOfType(
                DatabaseException.class, () -> messages.sequence(new long[] {partition}, 10)))
        .isNotNull();
    assertThat(state().sequence()).as("taken back").isEqualTo(3);
    messages.sequence(new long[] {partition}, 10);
    assertThat(texts(messages.next(lease, 3, 1))).containsExactly("d");
    assertThat(watched.trace().stream().map(Operation::connection).distinct()).hasSize(1);
  }

  @Test
  void aPoolWithoutAutoCommitCostsAThirdCall() {
    enqueue("a", "b", "c", "d");
    try (HikariDataSource pool = withoutAutoCommit(watched)) {
      Shelf kept = new Shelf(1, System::nanoTime, () -> {});
      MessageStore through = MessageStore.of(Stores.open(pool).keeping(kept));
      Lease lease = held(through);
      assertThat(texts(through.next(lease, 3, 1))).containsExactly("d");
      assertThat(calls()).hasSize(3).endsWith("commit");
      assertThat(state().processedSeq()).isEqualTo(3);
      kept.close();
      watched.reset();
    }
  }

  private static HikariDataSource withoutAutoCommit(DataSource source) {
    HikariConfig config = new HikariConfig();
    config.setDataSource(source);
    config.setAutoCommit(false);
    config.setMaximumPoolSize(1);
    return new HikariDataSource(config);
  }
}
