package dev.waybill.internal.store;

import dev.waybill.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A fresh database whose slots are turned and cleared by hand. */
final class SlotsAtWork {
  final TestDatabase database;
  final Stores stores;
  final List<Long> partitions;
  final long first;
  final long second;

  SlotsAtWork(TestDatabase shared) {
    database = shared.fresh();
    stores = new Stores(database);
    partitions = stores.queue("orders", 2);
    first = partitions.get(0);
    second = partitions.get(1);
  }

  /** Turns as soon as there is anything. */
  Rotation rotation() {
    return rotation(stores, 1);
  }

  static Rotation rotation(Stores stores, long slotBytes) {
    return Rotation.of(
            stores.database,
            new Rotation.Limits(slotBytes, 1, Long.MAX_VALUE >> 1, Duration.ofDays(1)))
        .orElseThrow();
  }

  /**
   * Turns and clears until there is nothing left to do, even for one that was not held up before;
   * says how many messages were cleared.
   */
  long turn(Rotation rotation) {
    Rotation eager = rotation.eager();
    long messages = 0;
    for (int i = 0; i < 20; i++) {
      Rotation.Turned turned = eager.turn();
      messages += turned.messages();
      if (!turned.moved()) {
        return messages;
      }
    }
    throw new AssertionError("It never comes to rest");
  }

  /** Too long to ride in incoming: it is in a slot of body from the start. */
  static String heavy(String text) {
    return text + " ".repeat(1_000);
  }

  void sequence() {
    stores.messages.sequence(partitions.stream().mapToLong(Long::longValue).toArray(), 1_000);
  }

  /** Numbers and reads all there is, without an end. */
  List<StoredMessage> waiting(long partition) {
    sequence();
    return stores
        .messages
        .lease(partition, "reader", Duration.ZERO, 1_000)
        .map(Delivery::messages)
        .orElse(List.of());
  }

  /** Numbers and delivers all there is; says what it was, and that nothing was passed by. */
  List<String> deliver(long partition) {
    List<String> texts = new ArrayList<>();
    List<StoredMessage> messages = waiting(partition);
    PartitionState state = stores.messages.state(partition);
    long seq = state.processedSeq();
    for (StoredMessage each : messages) {
      if (each.seq() != ++seq) {
        throw new AssertionError("Number " + each.seq() + " instead of " + seq);
      }
      texts.add(String.valueOf(Stores.text(each)).strip());
    }
    long last = seq;
    stores.database.transact(
        tx -> {
          stores.messages.move(tx, partition, CursorMove.doneUpTo(last), List.of());
          return true;
        });
    return texts;
  }

  Slots slots() throws SQLException {
    return Slots.of(number("select last_value from waybill_outbox_slots_sq"));
  }

  /** The bytes of the rows of a table's slots, dead ones included. */
  long bytes(String table) throws SQLException {
    return number(
        "select sum(pg_relation_size(oid))::bigint from pg_class where relkind = 'r' and relname ~"
            + " '^waybill_outbox_"
            + table
            + "_[0-9]$'");
  }

  long bytes(String table, int slot) throws SQLException {
    return number("select pg_relation_size('waybill_outbox_" + table + "_" + slot + "')");
  }

  /** Waits until somebody waits for a lock of the table. */
  void awaitWaiting(String table) throws SQLException {
    long deadline = System.nanoTime() + Duration.ofSeconds(20).toNanos();
    while (number(
            "select count(*) from pg_locks where not granted and relation = '"
                + table
                + "'::regclass")
        == 0) {
      if (System.nanoTime() > deadline) {
        throw new AssertionError("Nobody waits for " + table);
      }
    }
  }

  long number(String sql) throws SQLException {
    try (Connection connection = database.connect();
        var statement = connection.createStatement();
        var row = statement.executeQuery(sql)) {
      row.next();
      return row.getLong(1);
    }
  }
}
