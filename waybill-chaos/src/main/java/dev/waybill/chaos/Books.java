package dev.waybill.chaos;

import dev.waybill.schema.Schema;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.HistoryChecker.Effect;
import dev.waybill.testkit.TestDatabase;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The tables that tell what should have happened, and the outbox's own that tell how far it is. */
final class Books {
  private static final int ONE_IN = 97;

  private final TestDatabase database;

  private Books(TestDatabase database) {
    this.database = database;
  }

  static Books prepared(TestDatabase database) throws SQLException {
    Schema.migrate(database.dataSource());
    database.execute(
        "create table business (queue varchar(20) not null, producer varchar(40) not null,"
            + " first_n bigint not null, messages int not null)",
        "create table effects (part int not null, seq bigint not null, note varchar(60) not null,"
            + " message_key varchar(60))",
        "create index effects_ix on effects (part, message_key, seq)");
    return new Books(database);
  }

  static String note(String producer, long n) {
    return producer + ":" + n;
  }

  /** Whether the ledger refuses it, which anybody can tell. */
  static boolean isRejected(String note) {
    return Math.floorMod(note.hashCode(), ONE_IN) == 0;
  }

  static void business(
      Connection connection, String queue, String producer, long first, int messages)
      throws SQLException {
    try (var insert =
        connection.prepareStatement(
            "insert into business (queue, producer, first_n, messages) values (?, ?, ?, ?)")) {
      insert.setString(1, queue);
      insert.setString(2, producer);
      insert.setLong(3, first);
      insert.setInt(4, messages);
      insert.executeUpdate();
    }
  }

  static void effect(
      Connection connection, int partition, long seq, String note, @Nullable String key)
      throws SQLException {
    try (var insert =
        connection.prepareStatement(
            "insert into effects (part, seq, note, message_key) values (?, ?, ?, ?)")) {
      insert.setInt(1, partition);
      insert.setLong(2, seq);
      insert.setString(3, note);
      insert.setString(4, key);
      insert.executeUpdate();
    }
  }

  /** How many messages the cursors have passed. */
  long done() throws SQLException {
    return sum("select sum(processed_seq) from waybill_outbox_processor");
  }

  /** How many messages were committed. */
  long committed() throws SQLException {
    return sum("select sum(messages) from business");
  }

  boolean isDrained() throws SQLException {
    String unnumbered =
        switch (database.product()) {
          case MYSQL, MARIADB ->
              "select id from waybill_outbox_body where seq = 9223372036854775807";
          case POSTGRESQL, SQLITE -> "select id from waybill_outbox_incoming";
        };
    return rows(unnumbered, r -> "").isEmpty()
        && rows(
                "select p.id from waybill_outbox_partitions p join waybill_outbox_processor c on"
                    + " c.partition_id = p.id where p.sequence > c.processed_seq or c.parked > 0",
                r -> "")
            .isEmpty();
  }

  Set<String> committed(String queue) throws SQLException {
    Set<String> notes = new HashSet<>();
    rows(
        "select producer, first_n, messages from business where queue = '" + queue + "'",
        r -> {
          for (long n = r.getLong(2); n < r.getLong(2) + r.getInt(3); n++) {
            notes.add(note(r.getString(1), n));
          }
          return "";
        });
    return notes;
  }

  /** The last number that each partition gave. */
  Map<Integer, Long> last(String queue) throws SQLException {
    Map<Integer, Long> last = new TreeMap<>();
    rows(
        "select p.number, p.sequence from waybill_outbox_partitions p join waybill_outbox_queues q"
            + " on q.id = p.queue_id where q.name = '"
            + queue
            + "'",
        r -> last.put(r.getInt(1), r.getLong(2)));
    return last;
  }

  /** What the ledger's handler wrote, and what it refused. */
  List<Effect> effects() throws SQLException {
    List<Effect> effects =
        rows(
            "select part, seq, note from effects",
            r -> new Effect(r.getInt(1), r.getLong(2), r.getString(3)));
    effects.addAll(
        rows(
            "select p.number, d.seq, d.payload from waybill_outbox_dead_letters d join"
                + " waybill_outbox_partitions p on p.id = d.partition_id",
            r ->
                new Effect(
                    r.getInt(1), r.getLong(2), new String(r.getBytes(3), StandardCharsets.UTF_8))));
    return effects;
  }

  long deadLetters() throws SQLException {
    return sum("select count(*) from waybill_outbox_dead_letters");
  }

  DatabaseProduct product() {
    return database.product();
  }

  private long sum(String sql) throws SQLException {
    return rows(sql, r -> r.getLong(1)).get(0);
  }

  private interface Reader<T> {
    T read(ResultSet row) throws SQLException;
  }

  private <T> List<T> rows(String sql, Reader<T> reader) throws SQLException {
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
