package dev.waybill.bench.contender;

import dev.waybill.bench.load.Receiver;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Any batch by any poller: fast, and in no order. */
final class HandWrittenUnordered extends HandWritten {

  @Override
  public void prepare(Stage on) throws SQLException {
    on.execute(
        "create table task (id "
            + on.identity()
            + ", lane int not null, payload "
            + on.text()
            + " not null)");
  }

  @Override
  boolean deliver(Connection connection, Receiver receiver) throws SQLException {
    return switch (stage().product()) {
      case POSTGRESQL ->
          taken(
              connection,
              "with t as (delete from task where id in (select id from task order by id limit "
                  + BATCH
                  + " for update skip locked) returning id, payload) select * from t order by id",
              receiver);
      case SQLITE ->
          taken(
              connection,
              "delete from task where id in (select id from task order by id limit "
                  + BATCH
                  + ") returning id, payload",
              receiver);
      case MARIADB, MYSQL -> selectedAndDeleted(connection, receiver);
    };
  }

  private static boolean taken(Connection connection, String sql, Receiver receiver)
      throws SQLException {
    int rows = 0;
    try (PreparedStatement delete = connection.prepareStatement(sql);
        ResultSet row = delete.executeQuery()) {
      while (row.next()) {
        receiver.receive(row.getString(2));
        rows++;
      }
    }
    return rows == BATCH;
  }

  private static boolean selectedAndDeleted(Connection connection, Receiver receiver)
      throws SQLException {
    List<Long> ids = new ArrayList<>(BATCH);
    try (PreparedStatement select =
            connection.prepareStatement(
                "select id, payload from task order by id limit "
                    + BATCH
                    + " for update skip locked");
        ResultSet row = select.executeQuery()) {
      while (row.next()) {
        ids.add(row.getLong(1));
        receiver.receive(row.getString(2));
      }
    }
    Ids.delete(connection, "task", ids);
    return ids.size() == BATCH;
  }
}
