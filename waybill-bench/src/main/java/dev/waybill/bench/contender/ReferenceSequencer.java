package dev.waybill.bench.contender;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

/** Numbers one partition per visit: lock, select, delete, allocate, insert, at most eight times. */
final class ReferenceSequencer {
  private static final int BATCH = 2_000;
  private static final int ITERATIONS = 8;
  private static final int SKIPPED = -1;

  private record Row(long id, long body) {}

  private final Stage stage;
  private final Transactions transactions;
  private final DirtyLanes unsequenced;
  private final DirtyLanes unprocessed;

  ReferenceSequencer(
      Stage stage, Transactions transactions, DirtyLanes unsequenced, DirtyLanes unprocessed) {
    this.stage = stage;
    this.transactions = transactions;
    this.unsequenced = unsequenced;
    this.unprocessed = unprocessed;
  }

  boolean visit() throws Exception {
    OptionalInt taken = unsequenced.take();
    if (taken.isEmpty()) {
      return false;
    }
    int lane = taken.getAsInt();
    boolean drained = false;
    boolean some = false;
    try {
      for (int i = 0; i < ITERATIONS && !drained; i++) {
        int rows = transactions.call(connection -> sequence(connection, lane));
        if (rows == SKIPPED) {
          return some;
        }
        if (rows > 0) {
          some = true;
          unprocessed.mark(lane);
        }
        drained = rows < BATCH;
      }
    } finally {
      unsequenced.done(lane, drained);
    }
    return some;
  }

  private int sequence(Connection connection, int lane) throws SQLException {
    if (!lock(connection, lane)) {
      return SKIPPED;
    }
    List<Row> rows = incoming(connection, lane);
    if (rows.isEmpty()) {
      return 0;
    }
    Ids.delete(connection, "ref_incoming", rows.stream().map(Row::id).toList());
    long first = allocate(connection, lane, rows.size());
    long[] seq = {first};
    Rows.insert(
        connection,
        "insert into ref_outgoing (partition_id, body_id, seq) values",
        "(?, ?, ?)",
        rows,
        (statement, at, row) -> {
          statement.setLong(at, lane);
          statement.setLong(at + 1, row.body());
          statement.setLong(at + 2, seq[0]++);
          return at + 3;
        });
    return rows.size();
  }

  private static boolean lock(Connection connection, int lane) throws SQLException {
    try (PreparedStatement lock =
        connection.prepareStatement(
            "select id from ref_partitions where id = ? for update skip locked")) {
      lock.setLong(1, lane);
      try (ResultSet row = lock.executeQuery()) {
        return row.next();
      }
    }
  }

  private List<Row> incoming(Connection connection, int lane) throws SQLException {
    List<Row> rows = new ArrayList<>();
    try (PreparedStatement select =
        connection.prepareStatement(
            "select id, body_id from ref_incoming where partition_id = ? order by id limit "
                + BATCH
                + incomingLock())) {
      select.setLong(1, lane);
      try (ResultSet row = select.executeQuery()) {
        while (row.next()) {
          rows.add(new Row(row.getLong(1), row.getLong(2)));
        }
      }
    }
    return rows;
  }

  /**
   * The reference skips locked rows everywhere. InnoDB locks a neighbour's rows while it scans, so
   * there that reorders messages or passes them by; without it the order holds.
   */
  private String incomingLock() {
    return stage.isPostgres() ? " for update skip locked" : " for update";
  }

  private long allocate(Connection connection, int lane, int count) throws SQLException {
    String update = "update ref_partitions set sequence = sequence + ? where id = ?";
    if (stage.isPostgres()) {
      try (PreparedStatement statement =
          connection.prepareStatement(update + " returning sequence")) {
        statement.setLong(1, count);
        statement.setLong(2, lane);
        return one(statement) - count + 1;
      }
    }
    try (PreparedStatement statement = connection.prepareStatement(update)) {
      statement.setLong(1, count);
      statement.setLong(2, lane);
      statement.executeUpdate();
    }
    try (PreparedStatement statement =
        connection.prepareStatement("select sequence from ref_partitions where id = ?")) {
      statement.setLong(1, lane);
      return one(statement) - count + 1;
    }
  }

  private static long one(PreparedStatement statement) throws SQLException {
    try (ResultSet row = statement.executeQuery()) {
      row.next();
      return row.getLong(1);
    }
  }
}
