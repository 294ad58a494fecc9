package dev.waybill.internal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;
import static org.assertj.core.api.Assertions.tuple;

import dev.waybill.Migrated;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.NotOn;
import dev.waybill.testkit.TestDatabase;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

@EveryDatabase(alsoOldest = true)
class MessageStoreTest {
  private final TestDatabase database;
  private final Stores stores;
  private final List<Long> partitions;
  private final long first;

  MessageStoreTest(TestDatabase database) {
    this.database = database;
    stores = new Stores(Migrated.on(database));
    partitions = stores.queue("orders", 4);
    first = partitions.get(0);
  }

  private MessageStore messages() {
    return stores.messages;
  }

  private Delivery leased(int limit) {
    return messages().lease(first, "me", Stores.MINUTE, limit).orElseThrow();
  }

  private Lease lease(Delivery delivery) {
    return new Lease(first, "me", delivery.epoch(), Stores.MINUTE);
  }

  @Test
  void aMessageKeepsEverythingItWasEnqueuedWith() {
    var headers = new LinkedHashMap<String, String>();
    headers.put("trace", "a:b: c");
    headers.put("empty", "");
    var message =
        new NewMessage(
            first, "order.placed", "Zoë", headers, new byte[] {0, 1, (byte) 0xFF}, null, null);
    long id = stores.database.transact(tx -> messages().enqueue(tx, List.of(message)))[0];
    messages().sequence(new long[] {first}, 10);

    StoredMessage stored = leased(10).messages().get(0);

    assertThat(stored.id()).isEqualTo(id).isPositive();
    assertThat(stored.seq()).isEqualTo(1);
    MessageBody body = Objects.requireNonNull(stored.body());
    assertThat(body.type()).isEqualTo("order.placed");
    assertThat(body.key()).isEqualTo("Zoë");
    assertThat(List.copyOf(body.headers().entrySet())).isEqualTo(List.copyOf(headers.entrySet()));
    assertThat(body.copyOfPayload()).containsExactly(0, 1, 0xFF);
    assertThat(Duration.between(body.createdAt(), Instant.now()).abs())
        .isLessThan(Duration.ofMinutes(5));
  }

  @Test
  void aBatchOverAllPartitionsArrivesWhereItBelongsAndIdsAreInOrder() {
    List<NewMessage> batch = new ArrayList<>();
    for (int i = 0; i < 2_500; i++) {
      batch.add(Stores.message(partitions.get(i * 7 % 4), "m" + i));
    }
    long[] ids = stores.database.transact(tx -> messages().enqueue(tx, batch));

    assertThat(ids).hasSize(2_500).doesNotHaveDuplicates();
    for (int p = 0; p < 4; p++) {
      int place = p;
      assertThat(IntStream.range(0, 2_500).filter(i -> i * 7 % 4 == place).mapToLong(i -> ids[i]))
          .isSorted();
    }
    long[] all = partitions.stream().mapToLong(Long::longValue).toArray();
    assertThat(messages().sequence(all, 1_000))
        .containsOnly(
            entry(partitions.get(0), 625),
            entry(partitions.get(1), 625),
            entry(partitions.get(2), 625),
            entry(partitions.get(3), 625));
    for (int p = 0; p < 4; p++) {
      List<StoredMessage> read =
          messages().lease(partitions.get(p), "me", Stores.MINUTE, 10_000).orElseThrow().messages();
      assertThat(read).hasSize(625);
      for (int k = 0; k < read.size(); k++) {
        StoredMessage message = read.get(k);
        assertThat(message.seq()).isEqualTo(k + 1);
        int i = Integer.parseInt(String.valueOf(Stores.text(message)).substring(1));
        assertThat(partitions.get(i * 7 % 4)).isEqualTo(partitions.get(p));
        assertThat(message.id()).isEqualTo(ids[i]);
      }
    }
  }

  @Test
  void numbersGoOnWithoutGapsFromVisitToVisit() {
    stores.enqueue(first, "a");
    stores.enqueue(first, "b");
    stores.enqueue(first, "c");
    assertThat(messages().sequence(new long[] {first}, 2)).containsOnly(entry(first, 2));
    stores.enqueue(first, "d");
    assertThat(messages().sequence(new long[] {first}, 10)).containsOnly(entry(first, 2));
    assertThat(messages().sequence(new long[] {first}, 10)).containsOnly(entry(first, 0));

    assertThat(leased(10).messages())
        .extracting(StoredMessage::seq, Stores::text)
        .containsExactly(tuple(1L, "a"), tuple(2L, "b"), tuple(3L, "c"), tuple(4L, "d"));
  }

  /** PostgreSQL numbers what was enqueued at once together, which may be a little more. */
  @Test
  void aVisitIsBoundedAndWhatItLeavesComesNext() {
    for (int i = 0; i < 5; i++) {
      stores.enqueue(first, i + "a", i + "b", i + "c");
    }
    int got = messages().sequence(new long[] {first}, 4).getOrDefault(first, 0);
    assertThat(got).isBetween(4, 6);
    assertThat(messages().sequence(new long[] {first}, 100)).containsOnly(entry(first, 15 - got));

    assertThat(leased(100).messages())
        .extracting(Stores::text)
        .containsExactly(
            "0a", "0b", "0c", "1a", "1b", "1c", "2a", "2b", "2c", "3a", "3b", "3c", "4a", "4b",
            "4c");
  }

  /** Of as many as a row of it has room for, and more. */
  @Test
  void aBatchOfManyForOnePartitionKeepsItsOrder() {
    String[] texts = IntStream.range(0, 1_000).mapToObj(i -> "m" + i).toArray(String[]::new);
    stores.enqueue(first, "before");
    stores.enqueue(first, texts);
    stores.enqueue(first, "after");
    while (messages().sequence(new long[] {first}, 150).getOrDefault(first, 0) > 0) {
      // the next visit
    }
    List<StoredMessage> read = leased(2_000).messages();
    assertThat(read).hasSize(1_002);
    assertThat(read.get(0)).extracting(Stores::text).isEqualTo("before");
    assertThat(read.subList(1, 1_001)).extracting(Stores::text).containsExactly(texts);
    assertThat(read.get(1_001)).extracting(Stores::text).isEqualTo("after");
  }

  @Test
  void aLeaseIsKeptWhileReadingOnAndEndsWithTheCursor() {
    stores.enqueue(first, "a", "b", "c");
    messages().sequence(new long[] {first}, 10);

    Delivery one = leased(2);
    assertThat(one.messages()).extracting(Stores::text).containsExactly("a", "b");
    assertThat(one.hasMore()).isTrue();
    assertThat(one.attempts()).isEqualTo(1);
    assertThat(messages().lease(first, "other", Stores.MINUTE, 2)).isEmpty();

    Delivery two = messages().next(lease(one), 2, 2).orElseThrow();
    assertThat(two.messages()).extracting(Stores::text).containsExactly("c");
    assertThat(two.hasMore()).isFalse();
    assertThat(two.epoch()).isEqualTo(one.epoch());
    assertThat(messages().end(lease(two), CursorMove.doneUpTo(3), List.of())).isTrue();

    PartitionState state = messages().state(first);
    assertThat(state.processedSeq()).isEqualTo(3);
    assertThat(state.attempts()).isZero();
    assertThat(state.leaseOwner()).isNull();
    assertThat(messages().lease(first, "other", Stores.MINUTE, 2)).isEmpty();
  }

  @Test
  void whoLostTheLeaseChangesNothing() {
    stores.enqueue(first, "a", "b");
    messages().sequence(new long[] {first}, 10);
    Delivery mine = messages().lease(first, "me", Duration.ZERO, 1).orElseThrow();
    Delivery theirs = messages().lease(first, "other", Stores.MINUTE, 1).orElseThrow();
    assertThat(theirs.epoch()).isGreaterThan(mine.epoch());
    assertThat(theirs.attempts()).isEqualTo(2);

    assertThat(messages().renew(lease(mine))).isFalse();
    assertThat(messages().next(lease(mine), 1, 1)).isEmpty();
    assertThat(
            messages()
                .end(
                    lease(mine),
                    CursorMove.doneUpTo(1),
                    List.of(new NewDeadLetter(first, mine.messages().get(0), "no", 0))))
        .isFalse();
    PartitionState state = messages().state(first);
    assertThat(state.processedSeq()).isZero();
    assertThat(state.leaseOwner()).isEqualTo("other");
    assertThat(messages().releaseAll("me")).isZero();
    assertThat(messages().releaseAll("other")).isEqualTo(1);
  }

  @Test
  void aRetryWaitsByTheDatabasesClock() {
    stores.enqueue(first, "a");
    messages().sequence(new long[] {first}, 10);
    Delivery delivery = leased(1);
    messages()
        .end(
            lease(delivery),
            new CursorMove(0, delivery.attempts(), "busy", Duration.ofHours(1)),
            List.of());

    assertThat(messages().lease(first, "me", Stores.MINUTE, 1)).isEmpty();
    PartitionState state = messages().state(first);
    assertThat(state.notBefore()).isBetween(Duration.ofMinutes(59), Duration.ofHours(1));
    assertThat(state.lastError()).isEqualTo("busy");
    assertThat(state.attempts()).isEqualTo(1);
    assertThat(stores.queues.backlog())
        .singleElement()
        .satisfies(backlog -> assertThat(backlog.dueIn()).isGreaterThan(Duration.ofMinutes(58)));
  }

  @Test
  void aDelayedMessageWaitsForItsTime() {
    var later =
        new NewMessage(first, "test", null, Map.of(), new byte[0], null, Duration.ofHours(1));
    var past =
        new NewMessage(
            first,
            "test",
            null,
            Map.of(),
            "past".getBytes(StandardCharsets.UTF_8),
            Instant.EPOCH.plusSeconds(5),
            null);
    stores.database.transact(
        tx -> messages().enqueue(tx, List.of(later, Stores.message(first, "now"), past)));
    assertThat(stores.queues.dirty()).containsExactly(first);
    messages().promote(10);

    messages().sequence(new long[] {first}, 10);

    assertThat(leased(10).messages()).extracting(Stores::text).containsExactly("now", "past");
    assertThat(stores.queues.untilNextDue())
        .hasValueSatisfying(
            wait -> assertThat(wait).isBetween(Duration.ofMinutes(59), Duration.ofHours(1)));
    assertThat(messages().promote(10)).isEmpty();
  }

  @Test
  @NotOn(value = DatabaseProduct.POSTGRESQL, why = "it clears whole slots: see RotationTest")
  void theVacuumRemovesWhatTheCursorHasPassed() {
    List.of("a", "b", "c").forEach(text -> stores.enqueue(first, text));
    messages().sequence(new long[] {first}, 2);
    messages().sequence(new long[] {first}, 2);
    Delivery delivery = leased(2);
    messages().end(lease(delivery), CursorMove.doneUpTo(2), List.of());

    assertThat(messages().vacuumDue())
        .containsExactly(new MessageStore.VacuumDue(first, 0, 2, Duration.ZERO));
    assertThat(messages().vacuum(first, Duration.ofHours(1), 100))
        .isEqualTo(new MessageStore.Vacuumed(0, 0));
    assertThat(messages().vacuum(first, Duration.ZERO, 100))
        .isEqualTo(new MessageStore.Vacuumed(1, 2));
    assertThat(messages().vacuum(first, Duration.ZERO, 100))
        .isEqualTo(new MessageStore.Vacuumed(0, 0));
    assertThat(messages().vacuumDue()).isEmpty();
    assertThat(leased(5).messages()).extracting(Stores::text).containsExactly("c");
  }

  @Test
  @NotOn(value = DatabaseProduct.POSTGRESQL, why = "it clears whole slots: see RotationTest")
  void whatSeveralPartitionsHavePassedGoesTogetherAndNothingElse() {
    List<NewMessage> batch = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      batch.add(Stores.message(partitions.get(i % 4), "m" + i));
    }
    batch.set(80, inAnHour(partitions.get(0)));
    long[] ids = stores.database.transact(tx -> messages().enqueue(tx, batch));
    long[] numbered = {partitions.get(0), partitions.get(1), partitions.get(2)};
    messages().sequence(numbered, 1_000);
    List<MessageStore.VacuumDue> due = new ArrayList<>();
    long[] cursors = {49, 50, 20};
    for (int p = 0; p < cursors.length; p++) {
      passed(partitions.get(p), cursors[p]);
      due.add(new MessageStore.VacuumDue(partitions.get(p), 0, cursors[p], Duration.ZERO));
    }
    assertThat(messages().vacuumDue()).isEqualTo(due);

    assertThat(vacuumed(due)).isEqualTo(99);

    // The third partition's numbers are one row, which stays as long as one of them is needed.
    assertThat(bodies())
        .containsExactlyInAnyOrderElementsOf(
            LongStream.range(0, 200)
                .filter(i -> i % 4 > 1 || i == 80)
                .map(i -> ids[(int) i])
                .boxed()
                .toList());
    assertThat(messages().vacuumDue())
        .extracting(MessageStore.VacuumDue::partitionId)
        .containsExactly(partitions.get(2));
    assertThat(
            messages().lease(partitions.get(2), "me", Stores.MINUTE, 100).orElseThrow().messages())
        .extracting(Stores::text)
        .hasSize(30)
        .startsWith("m82")
        .doesNotContainNull();
    passed(partitions.get(2), 50);
    messages().sequence(new long[] {partitions.get(3)}, 1_000);
    passed(partitions.get(3), 50);
    assertThat(vacuumed(messages().vacuumDue())).isEqualTo(100);
    assertThat(bodies()).containsExactly(ids[80]);
  }

  @Test
  @NotOn(
      value = {DatabaseProduct.POSTGRESQL, DatabaseProduct.MYSQL, DatabaseProduct.MARIADB},
      why = "they clean one partition at a time, or whole slots")
  void aPieceOfSeveralPartitionsIsOfABearableSize() {
    long second = partitions.get(1);
    List<NewMessage> many = Collections.nCopies(10_000, Stores.message(first, "x"));
    for (int i = 0; i < 2; i++) {
      stores.database.transact(tx -> messages().enqueue(tx, many));
    }
    stores.enqueue(second, "y");
    messages().sequence(new long[] {first, second}, 50_000);
    passed(first, 20_000);
    passed(second, 1);

    assertThat(messages().vacuum(messages().vacuumDue(), 1_000))
        .containsExactly(new MessageStore.Vacuumed(100, 20_000));

    assertThat(messages().vacuum(messages().vacuumDue(), 1_000))
        .containsExactly(new MessageStore.Vacuumed(1, 1));
    assertThat(bodies()).isEmpty();
  }

  @Test
  @NotOn(value = DatabaseProduct.POSTGRESQL, why = "it clears whole slots: see RotationTest")
  void whoseClearingIsOldNewsClearsNothingElse() {
    List.of("a", "b", "c").forEach(text -> stores.enqueue(first, text));
    messages().sequence(new long[] {first}, 1);
    passed(first, 1);
    List<MessageStore.VacuumDue> old = messages().vacuumDue();
    assertThat(vacuumed(old)).isEqualTo(1);
    messages().sequence(new long[] {first}, 2);

    assertThat(vacuumed(old)).isZero();

    assertThat(leased(5).messages()).extracting(Stores::text).containsExactly("b", "c");
    assertThat(messages().vacuumDue()).isEmpty();
  }

  private static NewMessage inAnHour(long partition) {
    return new NewMessage(
        partition, "test", null, Map.of(), new byte[1], null, Duration.ofHours(1));
  }

  private void passed(long partition, long cursor) {
    Delivery taken = messages().lease(partition, "me", Stores.MINUTE, 1).orElseThrow();
    messages()
        .end(
            new Lease(partition, "me", taken.epoch(), Stores.MINUTE),
            CursorMove.doneUpTo(cursor),
            List.of());
  }

  private long vacuumed(List<MessageStore.VacuumDue> due) {
    int together = messages().cleanedTogether();
    long messages = 0;
    for (int from = 0; from < due.size(); from += together) {
      messages +=
          messages().vacuum(due.subList(from, Math.min(due.size(), from + together)), 10).stream()
              .mapToLong(MessageStore.Vacuumed::messages)
              .sum();
    }
    return messages;
  }

  private List<Long> bodies() {
    return stores.database.transact(
        tx ->
            tx
                .query(
                    "select id, "
                        + (StoredRows.isKnownByBody(database.product()) ? "n" : "1 as n")
                        + " from waybill_outbox_body order by id")
                .list(
                    row ->
                        StoredRows.ids(database.product(), row.number("id"), (int) row.number("n")))
                .stream()
                .flatMap(List::stream)
                .toList());
  }

  /**
   * In tables that no other test gets: where sessions differ in their steps, MySQL gives an id
   * twice now and then, as long as it keeps the tables open.
   */
  @Test
  @NotOn(
      value = {DatabaseProduct.POSTGRESQL, DatabaseProduct.SQLITE},
      why = "ids grow by one there")
  void idsAreThoseOfTheRowsWhateverStepsTheSessionTakes() throws SQLException {
    TestDatabase fresh = database.fresh();
    Stores alone = new Stores(fresh);
    List<Long> queue = alone.queue("orders", 4);
    Map<Long, String> sent = new HashMap<>();
    try (Connection connection = fresh.connect()) {
      connection.setAutoCommit(false);
      for (int step : List.of(5, 5, 1, 3)) {
        try (Statement statement = connection.createStatement()) {
          statement.execute("set session auto_increment_increment = " + step);
        }
        List<NewMessage> batch = new ArrayList<>();
        for (int i = 0; i < 9; i++) {
          batch.add(Stores.message(queue.get(i % 3), step + ":" + i));
        }
        long[] ids = alone.messages.enqueue(alone.database.join(connection), batch);
        for (int i = 0; i < 9; i++) {
          sent.put(ids[i], step + ":" + i);
        }
      }
      connection.commit();
    }
    assertThat(sent).hasSize(36);
    alone.messages.sequence(queue.stream().mapToLong(Long::longValue).toArray(), 100);
    Map<Long, String> stored = new HashMap<>();
    for (long partition : queue) {
      alone
          .messages
          .peek(partition, 0, 100)
          .messages()
          .forEach(each -> stored.put(each.id(), String.valueOf(Stores.text(each))));
    }
    assertThat(stored).containsAllEntriesOf(sent);
  }

  @Test
  void aMissingBodyIsReportedWhereItShouldBe() {
    stores.enqueue(first, "a");
    long[] lost = stores.enqueue(first, "b");
    stores.enqueue(first, "c");
    messages().sequence(new long[] {first}, 10);
    stores.database.transact(tx -> tx.query(StoredRows.lose(database.product(), lost[0])).update());

    assertThat(leased(10).messages()).extracting(Stores::text).containsExactly("a", null, "c");
  }

  @Test
  void aBatchIsBoundedByBytes() {
    String megabyte = "x".repeat(1 << 20);
    for (int i = 0; i < 6; i++) {
      stores.enqueue(first, megabyte);
    }
    messages().sequence(new long[] {first}, 10);

    Delivery delivery = leased(10);

    assertThat(delivery.messages()).hasSize(4);
    assertThat(delivery.hasMore()).isTrue();
  }

  @Test
  void theTransactionalCursorIsLockedReadAndMoved() {
    stores.enqueue(first, "a", "b");
    messages().sequence(new long[] {first}, 10);

    stores.database.transact(
        tx -> {
          Delivery delivery = messages().lock(tx, first, 10).orElseThrow();
          assertThat(delivery.messages()).extracting(Stores::text).containsExactly("a", "b");
          messages()
              .move(
                  tx,
                  first,
                  CursorMove.doneUpTo(2),
                  List.of(new NewDeadLetter(first, delivery.messages().get(1), "bad", 3)));
          return true;
        });

    assertThat(messages().state(first).processedSeq()).isEqualTo(2);
    Optional<Delivery> after = stores.database.transact(tx -> messages().lock(tx, first, 10));
    assertThat(after).hasValueSatisfying(empty -> assertThat(empty.messages()).isEmpty());
  }
}
