package dev.waybill.bench.contender;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Multi-row statements, in pieces whose text the driver and the server can cache. */
final class Rows {
  private static final int PIECE = 100;
  private static final Map<String, String> TEXTS = new ConcurrentHashMap<>();

  private Rows() {}

  /** Inserts rows with a row of placeholders each, such as {@code (?, ?)}. */
  static <T> void insert(
      Connection connection, String head, String row, List<T> rows, Binder<T> binder)
      throws SQLException {
    for (int from = 0; from < rows.size(); from += PIECE) {
      List<T> piece = rows.subList(from, Math.min(rows.size(), from + PIECE));
      try (PreparedStatement insert = connection.prepareStatement(text(head, row, piece.size()))) {
        bind(insert, piece, binder);
        insert.executeUpdate();
      }
    }
  }

  /** Binds all of a piece. */
  static <T> void bind(PreparedStatement statement, List<T> piece, Binder<T> binder)
      throws SQLException {
    int at = 1;
    for (T each : piece) {
      at = binder.bind(statement, at, each);
    }
  }

  /** The head, and the row so many times. */
  static String text(String head, String row, int count) {
    return TEXTS.computeIfAbsent(
        head + '#' + row + '#' + count, key -> head + (", " + row).repeat(count).substring(1));
  }

  /** Placeholders for so many values, in parentheses. */
  static String among(int count) {
    return "(" + text("", "?", count) + ")";
  }

  interface Binder<T> {
    /** Binds from this position on and answers the next one. */
    int bind(PreparedStatement statement, int at, T row) throws SQLException;
  }
}
