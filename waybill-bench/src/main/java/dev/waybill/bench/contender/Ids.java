package dev.waybill.bench.contender;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;

/** Statements over a list of ids. */
final class Ids {
  private static final int PIECE = 10_000;

  private Ids() {}

  /** Deletes rows by id. */
  static void delete(Connection connection, String table, List<Long> ids) throws SQLException {
    for (int from = 0; from < ids.size(); from += PIECE) {
      List<Long> piece = ids.subList(from, Math.min(ids.size(), from + PIECE));
      String text = "delete from " + table + " where id in " + Rows.among(piece.size());
      try (PreparedStatement delete = connection.prepareStatement(text)) {
        bind(delete, piece);
        delete.executeUpdate();
      }
    }
  }

  static void bind(PreparedStatement statement, List<Long> ids) throws SQLException {
    for (int i = 0; i < ids.size(); i++) {
      statement.setLong(i + 1, ids.get(i));
    }
  }
}
