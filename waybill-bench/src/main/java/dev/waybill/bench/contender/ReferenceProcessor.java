package dev.waybill.bench.contender;

import dev.waybill.bench.load.Receiver;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** Delivers one batch of a partition under a lease: acquire and read, handle, acknowledge. */
final class ReferenceProcessor {
  private static final int BATCH = 100;

  private record Numbered(long body, long seq) {}

  private record Read(List<String> texts, long last) {}

  private final Stage stage;
  private final Transactions transactions;
  private final DirtyLanes unprocessed;
  private final Receiver receiver;
  private final String worker = "q-" + ProcessHandle.current().pid();

  ReferenceProcessor(
      Stage stage, Transactions transactions, DirtyLanes unprocessed, Receiver receiver) {
    this.stage = stage;
    this.transactions = transactions;
    this.unprocessed = unprocessed;
    this.receiver = receiver;
  }

  boolean visit() throws Exception {
    OptionalInt taken = unprocessed.take();
    if (taken.isEmpty()) {
      return false;
    }
    int lane = taken.getAsInt();
    boolean drained = false;
    try {
      Read read = transactions.call(connection -> acquireAndRead(connection, lane));
      drained = read.texts().size() < BATCH;
      if (read.texts().isEmpty()) {
        transactions.run(connection -> release(connection, lane));
        return false;
      }
      read.texts().forEach(receiver::receive);
      transactions.run(connection -> acknowledge(connection, lane, read.last()));
    } finally {
      unprocessed.done(lane, drained);
    }
    return true;
  }

  private Read acquireAndRead(Connection connection, int lane) throws SQLException {
    OptionalLong cursor = acquire(connection, lane);
    if (cursor.isEmpty()) {
      return new Read(List.of(), 0);
    }
    List<Numbered> rows = outgoing(connection, lane, cursor.getAsLong());
    if (rows.isEmpty()) {
      return new Read(List.of(), 0);
    }
    Map<Long, String> bodies = bodies(connection, rows);
    return new Read(
        rows.stream().map(row -> String.valueOf(bodies.get(row.body()))).toList(),
        rows.get(rows.size() - 1).seq());
  }

  private OptionalLong acquire(Connection connection, int lane) throws SQLException {
    String now = stage.isPostgres() ? "now()" : "now(6)";
    String until =
        stage.isPostgres() ? "now() + interval '30 second'" : "now(6) + interval 30 second";
    String update =
        "update ref_processor set locked_by = ?, locked_until = "
            + until
            + ", attempts = attempts + 1 where partition_id = ?"
            + " and (locked_by is null or locked_until < "
            + now
            + ")";
    if (stage.isPostgres()) {
      return cursor(connection, update + " returning processed_seq", lane, true);
    }
    try (PreparedStatement statement = connection.prepareStatement(update)) {
      statement.setString(1, worker);
      statement.setLong(2, lane);
      if (statement.executeUpdate() == 0) {
        return OptionalLong.empty();
      }
    }
    return cursor(
        connection, "select processed_seq from ref_processor where partition_id = ?", lane, false);
  }

  private OptionalLong cursor(Connection connection, String sql, int lane, boolean named)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      if (named) {
        statement.setString(1, worker);
      }
      statement.setLong(named ? 2 : 1, lane);
      try (ResultSet row = statement.executeQuery()) {
        return row.next() ? OptionalLong.of(row.getLong(1)) : OptionalLong.empty();
      }
    }
  }

  private static List<Numbered> outgoing(Connection connection, int lane, long cursor)
      throws SQLException {
    List<Numbered> rows = new ArrayList<>(BATCH);
    try (PreparedStatement select =
        connection.prepareStatement(
            "select id, body_id, seq from ref_outgoing where partition_id = ? and seq > ?"
                + " order by seq limit "
                + BATCH)) {
      select.setLong(1, lane);
      select.setLong(2, cursor);
      try (ResultSet row = select.executeQuery()) {
        while (row.next()) {
          rows.add(new Numbered(row.getLong(2), row.getLong(3)));
        }
      }
    }
    return rows;
  }

  private static Map<Long, String> bodies(Connection connection, List<Numbered> rows)
      throws SQLException {
    Map<Long, String> bodies = new HashMap<>();
    try (PreparedStatement select =
        connection.prepareStatement(
            "select id, payload, payload_type, created_at from ref_body where id in "
                + Rows.among(rows.size()))) {
      Ids.bind(select, rows.stream().map(Numbered::body).toList());
      try (ResultSet row = select.executeQuery()) {
        while (row.next()) {
          bodies.put(row.getLong(1), new String(row.getBytes(2), StandardCharsets.UTF_8));
        }
      }
    }
    return bodies;
  }

  private void release(Connection connection, int lane) throws SQLException {
    update(
        connection,
        "update ref_processor set attempts = 0, locked_by = null, locked_until = null"
            + " where partition_id = ? and locked_by = ?",
        lane);
  }

  private void acknowledge(Connection connection, int lane, long last) throws SQLException {
    update(
        connection,
        "update ref_processor set processed_seq = "
            + "?, attempts = 0, last_error = null, locked_by = null, locked_until = null"
            + " where partition_id = ? and locked_by = ?",
        last,
        lane);
    try (PreparedStatement count =
        connection.prepareStatement(
            "update ref_vacuum_counter set counter = counter + 1 where partition_id = ?")) {
      count.setLong(1, lane);
      count.executeUpdate();
    }
  }

  private void update(Connection connection, String sql, long... numbers) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < numbers.length; i++) {
        statement.setLong(i + 1, numbers[i]);
      }
      statement.setString(numbers.length + 1, worker);
      statement.executeUpdate();
    }
  }
}
