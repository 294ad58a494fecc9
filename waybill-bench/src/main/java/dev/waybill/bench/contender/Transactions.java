package dev.waybill.bench.contender;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Plain JDBC transactions, for contenders that bring none of their own. */
final class Transactions {
  private final DataSource pool;

  Transactions(DataSource pool) {
    this.pool = pool;
  }

  void run(Work work) throws Exception {
    call(
        connection -> {
          work.in(connection);
          return true;
        });
  }

  <T> T call(Question<T> question) throws Exception {
    try (Connection connection = pool.getConnection()) {
      connection.setAutoCommit(false);
      try {
        T answer = question.ask(connection);
        connection.commit();
        return answer;
      } catch (Exception e) {
        rollBack(connection, e);
        throw e;
      } finally {
        connection.setAutoCommit(true);
      }
    }
  }

  private static void rollBack(Connection connection, Exception cause) {
    try {
      connection.rollback();
    } catch (SQLException e) {
      cause.addSuppressed(e);
    }
  }

  interface Work {
    void in(Connection connection) throws Exception;
  }

  interface Question<T> {
    T ask(Connection connection) throws Exception;
  }
}
