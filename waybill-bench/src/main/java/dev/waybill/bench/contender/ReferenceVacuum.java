package dev.waybill.bench.contender;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Removes what lies behind the cursors, partition by partition, in pieces. */
final class ReferenceVacuum {
  private static final int PIECE = 10_000;

  private final Transactions transactions;

  ReferenceVacuum(Transactions transactions) {
    this.transactions = transactions;
  }

  boolean sweep() throws Exception {
    Map<Long, Long> dirty = transactions.call(ReferenceVacuum::dirty);
    for (Map.Entry<Long, Long> each : dirty.entrySet()) {
      while (transactions.call(connection -> removePiece(connection, each.getKey())) == PIECE) {
        // The next piece.
      }
      transactions.run(connection -> subtract(connection, each.getKey(), each.getValue()));
    }
    return false;
  }

  private static Map<Long, Long> dirty(Connection connection) throws SQLException {
    Map<Long, Long> counters = new LinkedHashMap<>();
    try (PreparedStatement select =
            connection.prepareStatement(
                "select partition_id, counter from ref_vacuum_counter where counter > 0"
                    + " order by partition_id limit 64");
        ResultSet row = select.executeQuery()) {
      while (row.next()) {
        counters.put(row.getLong(1), row.getLong(2));
      }
    }
    return counters;
  }

  private static int removePiece(Connection connection, long partition) throws SQLException {
    List<Long> ids = new ArrayList<>();
    List<Long> bodies = new ArrayList<>();
    try (PreparedStatement select =
        connection.prepareStatement(
            "select id, body_id from ref_outgoing where partition_id = ? and seq <="
                + " (select processed_seq from ref_processor where partition_id = ?)"
                + " order by seq limit "
                + PIECE)) {
      select.setLong(1, partition);
      select.setLong(2, partition);
      try (ResultSet row = select.executeQuery()) {
        while (row.next()) {
          ids.add(row.getLong(1));
          bodies.add(row.getLong(2));
        }
      }
    }
    Ids.delete(connection, "ref_outgoing", ids);
    Ids.delete(connection, "ref_body", bodies);
    return ids.size();
  }

  private static void subtract(Connection connection, long partition, long seen)
      throws SQLException {
    try (PreparedStatement update =
        connection.prepareStatement(
            "update ref_vacuum_counter set counter = greatest(counter - ?, 0)"
                + " where partition_id = ?")) {
      update.setLong(1, seen);
      update.setLong(2, partition);
      update.executeUpdate();
    }
  }
}
