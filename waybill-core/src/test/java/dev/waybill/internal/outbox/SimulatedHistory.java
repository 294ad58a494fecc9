package dev.waybill.internal.outbox;

import dev.waybill.internal.store.StoredRows;
import dev.waybill.outbox.OutboxMessage;
import dev.waybill.testkit.HistoryChecker;
import dev.waybill.testkit.HistoryChecker.Effect;
import dev.waybill.testkit.HistoryChecker.Given;
import dev.waybill.testkit.HistoryChecker.Violation;
import dev.waybill.testkit.TestDatabase;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;

/** What happened in a simulation: what was said to whom, and what the tables of the user say. */
final class SimulatedHistory {
  private final int number;
  private final List<String> log = new ArrayList<>();
  private final List<OutboxMessage> given = new ArrayList<>();
  private final List<Given> leased = new ArrayList<>();
  private final Map<Long, Long> growing = new HashMap<>();
  private final Set<Long> settled = new HashSet<>();
  private final List<String> violations = new ArrayList<>();

  SimulatedHistory(int number) {
    this.number = number;
  }

  static void prepare(TestDatabase database) throws SQLException {
    database.execute(
        "create table if not exists business (queue varchar(20) not null, note varchar(40) not null)",
        "create table if not exists effects (queue varchar(20) not null, part int not null, seq bigint not null,"
            + " note varchar(40) not null, message_key varchar(40))");
  }

  /** What a queue is called in the database. */
  String nameOf(String queue) {
    return queue + number;
  }

  private String queueOf(OutboxMessage message) {
    String name = message.queue();
    return name.substring(0, name.length() - String.valueOf(number).length());
  }

  void log(String line) {
    log.add(line);
  }

  List<String> log() {
    return log;
  }

  void enqueued(Connection connection, String queue, String note) throws SQLException {
    log(queue + " gets " + note);
    try (var insert =
        connection.prepareStatement("insert into business (queue, note) values (?, ?)")) {
      insert.setString(1, nameOf(queue));
      insert.setString(2, note);
      insert.executeUpdate();
    }
  }

  /** A leased handler was given a message. */
  void given(OutboxMessage message, long epoch) {
    log(queueOf(message) + "/" + message.partition() + "/" + message.seq() + " under " + epoch);
    given.add(message);
    if (queueOf(message).equals("parcels")) {
      leased.add(new Given(message.partition(), message.seq(), epoch, message.text()));
      return;
    }
    for (OutboxMessage each : given) {
      boolean before =
          each.queue().equals(message.queue())
              && Objects.equals(each.key(), message.key())
              && each.seq() < message.seq();
      if (before && !settled.contains(each.seq())) {
        violations.add(message + " came though " + each + " of its key was not done");
      }
    }
  }

  /** A leased handler of the queue that parks keys was done with a message. */
  void settled(OutboxMessage message) {
    settled.add(message.seq());
  }

  /** A transactional handler writes. */
  void written(Connection connection, OutboxMessage message) throws SQLException {
    log(queueOf(message) + "/" + message.partition() + "/" + message.seq());
    try (var insert =
        connection.prepareStatement(
            "insert into effects (queue, part, seq, note, message_key) values (?, ?, ?, ?, ?)")) {
      insert.setString(1, message.queue());
      insert.setInt(2, message.partition());
      insert.setLong(3, message.seq());
      insert.setString(4, message.text());
      insert.setString(5, message.key());
      insert.executeUpdate();
    }
    boolean keyed = message.key() != null;
    try (var later =
        connection.prepareStatement(
            "select count(*) from effects where queue = ? and part = ? and seq > ?"
                + (keyed ? " and message_key = ?" : ""))) {
      later.setString(1, message.queue());
      later.setInt(2, message.partition());
      later.setLong(3, message.seq());
      if (keyed) {
        later.setString(4, message.key());
      }
      try (ResultSet count = later.executeQuery()) {
        count.next();
        if (count.getLong(1) > 0) {
          violations.add(message + " came after a later one");
        }
      }
    }
  }

  /** Cursors and epochs only grow, whoever comes back from wherever. */
  void onlyGrowing(TestDatabase database) throws SQLException {
    rows(
        database,
        "select partition_id, processed_seq, lease_epoch from waybill_outbox_processor",
        r -> {
          for (int column = 2; column <= 3; column++) {
            Long before = growing.put(r.getLong(1) * 10 + column, r.getLong(column));
            if (before != null && before > r.getLong(column)) {
              violations.add("partition " + r.getLong(1) + " went back from " + before);
            }
          }
          return true;
        });
  }

  /** What is not as promised. */
  List<String> check(TestDatabase database) throws SQLException {
    HistoryChecker checker = new HistoryChecker();
    checker.leased(committed(database, "parcels"), last(database, "parcels"), leased, List.of());
    for (String queue : List.of("ledger", "books")) {
      checker.transactional(
          committed(database, queue), last(database, queue), effects(database, queue));
    }
    List<Effect> accounts = new ArrayList<>();
    Map<Long, OutboxMessage> first = new HashMap<>();
    for (OutboxMessage each : given) {
      if (queueOf(each).equals("accounts") && first.put(each.seq(), each) == null) {
        accounts.add(new Effect(each.partition(), each.seq(), each.text()));
      }
    }
    checker.transactional(committed(database, "accounts"), last(database, "accounts"), accounts);
    checker.violations().stream().map(Violation::toString).forEach(violations::add);
    for (String table : StoredRows.tables(database.product())) {
      rows(
          database,
          "select 1 from waybill_outbox_" + table,
          r -> violations.add("left in " + table));
    }
    rows(
        database,
        "select partition_id from waybill_outbox_processor where parked <> 0",
        r -> violations.add("parked in " + r.getLong(1)));
    return violations;
  }

  /** What a handler wrote, and what became a dead letter instead. */
  private List<Effect> effects(TestDatabase database, String queue) throws SQLException {
    List<Effect> effects =
        rows(
            database,
            "select part, seq, note from effects where queue = '" + nameOf(queue) + "'",
            r -> new Effect(r.getInt(1), r.getLong(2), r.getString(3)));
    effects.addAll(
        rows(
            database,
            "select p.number, d.seq, d.payload from waybill_outbox_dead_letters d join"
                + " waybill_outbox_partitions p on p.id = d.partition_id join waybill_outbox_queues"
                + " q on q.id = p.queue_id where q.name = '"
                + nameOf(queue)
                + "'",
            r ->
                new Effect(
                    r.getInt(1), r.getLong(2), new String(r.getBytes(3), StandardCharsets.UTF_8))));
    return effects;
  }

  private Set<String> committed(TestDatabase database, String queue) throws SQLException {
    return new HashSet<>(
        rows(
            database,
            "select note from business where queue = '" + nameOf(queue) + "'",
            r -> r.getString(1)));
  }

  private Map<Integer, Long> last(TestDatabase database, String queue) throws SQLException {
    Map<Integer, Long> last = new TreeMap<>();
    rows(
        database,
        "select p.number, p.sequence from waybill_outbox_partitions p join waybill_outbox_queues q"
            + " on q.id = p.queue_id where q.name = '"
            + nameOf(queue)
            + "'",
        r -> last.put(r.getInt(1), r.getLong(2)));
    return last;
  }

  private interface Reader<T> {
    T read(ResultSet row) throws SQLException;
  }

  private static <T> List<T> rows(TestDatabase database, String sql, Reader<T> reader)
      throws SQLException {
    List<T> rows = new ArrayList<>();
    try (Connection connection = database.connect();
        var statement = connection.createStatement();
        var result = statement.executeQuery(sql)) {
      while (result.next()) {
        rows.add(reader.read(result));
      }
    }
    return rows;
  }
}
