package dev.waybill.bench.contender;

import dev.waybill.testkit.DatabaseProduct;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/**
 * What a contender is given.
 *
 * @param product the database's
 * @param pool of connections, large enough for all producers and all workers it is used by
 * @param keys how many keys the messages have: more than that many lanes are of no use
 * @param producers how many threads call {@code send} at most
 * @param pace what matters in this scenario, for contenders whose documentation advises other
 *     settings for the one than for the other
 */
public record Stage(DatabaseProduct product, DataSource pool, int keys, int producers, Pace pace) {

  /** What a scenario asks for. */
  public enum Pace {
    /** Many messages. */
    THROUGHPUT,
    /** Few messages, each soon. */
    LATENCY
  }

  /** How many lanes a contender that has a fixed number of them shall have: a power of two. */
  public int lanes() {
    return Math.min(64, Integer.highestOneBit(keys));
  }

  /** The lane of a key. */
  public int lane(int key) {
    return key % lanes();
  }

  boolean isPostgres() {
    return product == DatabaseProduct.POSTGRESQL;
  }

  boolean isSqlite() {
    return product == DatabaseProduct.SQLITE;
  }

  /** How a column is declared that counts rows by itself and is the primary key. */
  public String identity() {
    return switch (product) {
      case POSTGRESQL -> "bigint generated always as identity primary key";
      case MARIADB, MYSQL -> "bigint auto_increment primary key";
      case SQLITE -> "integer primary key autoincrement";
    };
  }

  /** A type for payloads of up to 64 KiB. */
  String text() {
    return switch (product) {
      case MARIADB, MYSQL -> "mediumtext";
      case POSTGRESQL, SQLITE -> "text";
    };
  }

  /** Runs statements that make tables. */
  void execute(String... statements) throws SQLException {
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      for (String each : statements) {
        statement.execute(each);
      }
    }
  }
}
