package dev.waybill.bench.measure;

import dev.waybill.testkit.DatabaseProduct;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/** What the database has written and keeps. Asks on a connection of its own, uncounted. */
public final class Storage {
  /** The business table grows with every transaction, whoever carries the messages. */
  private static final String OF_CONTENDER =
      " from pg_stat_user_tables where relname <> 'customer_order'";

  private final DatabaseProduct product;
  private final DataSource source;

  /**
   * A look at the storage.
   *
   * @param logBytes of the write-ahead or redo log so far
   * @param tableBytes of the contender's tables and indexes now; on SQLite of the whole file
   * @param deadRows that the server knows of and has not removed yet
   * @param rowsWritten inserted, updated and deleted so far
   */
  public record Look(long logBytes, long tableBytes, long deadRows, long rowsWritten) {}

  /** Of the database behind this source. */
  public Storage(DatabaseProduct product, DataSource source) {
    this.product = product;
    this.source = source;
  }

  /** Looks. */
  public Look look() throws SQLException {
    return switch (product) {
      case POSTGRESQL ->
          new Look(
              one("select pg_current_wal_lsn() - '0/0'::pg_lsn"),
              one("select coalesce(sum(pg_total_relation_size(relid)), 0)" + OF_CONTENDER),
              one("select coalesce(sum(n_dead_tup), 0)" + OF_CONTENDER),
              one("select coalesce(sum(n_tup_ins + n_tup_upd + n_tup_del), 0)" + OF_CONTENDER));
      case MARIADB ->
          new Look(
              one(globalStatus("Innodb_lsn_current")),
              innodbBytes(),
              one(globalStatus("Innodb_history_list_length")),
              innodbRows());
      case MYSQL ->
          new Look(one(globalStatus("Innodb_os_log_written")), innodbBytes(), 0, innodbRows());
      case SQLITE -> {
        long page = one("pragma page_size");
        yield new Look(0, page * one("pragma page_count"), one("pragma freelist_count"), 0);
      }
    };
  }

  private long innodbBytes() throws SQLException {
    return one(
        "select coalesce(sum(data_length + index_length), 0) from information_schema.tables"
            + " where table_schema = database() and table_name <> 'customer_order'");
  }

  private long innodbRows() throws SQLException {
    return one(globalStatus("Innodb_rows_inserted"))
        + one(globalStatus("Innodb_rows_updated"))
        + one(globalStatus("Innodb_rows_deleted"));
  }

  private String globalStatus(String name) {
    return product == DatabaseProduct.MARIADB
        ? "select variable_value from information_schema.global_status where variable_name = '"
            + name
            + "'"
        : "show global status where variable_name = '" + name + "'";
  }

  private long one(String sql) throws SQLException {
    try (Connection connection = source.getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      if (!row.next()) {
        return 0;
      }
      return Math.round(row.getDouble(row.getMetaData().getColumnCount()));
    }
  }
}
