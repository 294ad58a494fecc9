package dev.waybill.bench.contender;

import dev.waybill.bench.load.Receiver;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

/**
 * A poller locks one lane that has tasks and takes that lane's oldest. An id is drawn before its
 * transaction commits; yet what was committed before another was drawn is always seen with it.
 */
final class HandWrittenOrdered extends HandWritten {

  @Override
  public void prepare(Stage on) throws SQLException {
    on.execute(
        "create table task (id "
            + on.identity()
            + ", lane int not null, payload "
            + on.text()
            + " not null)",
        "create index task_by_lane on task (lane, id)",
        "create table lane (lane int primary key)");
    for (int lane = 0; lane < on.lanes(); lane++) {
      on.execute("insert into lane values (" + lane + ")");
    }
  }

  @Override
  boolean deliver(Connection connection, Receiver receiver) throws SQLException {
    OptionalInt lane = lockLane(connection);
    if (lane.isEmpty()) {
      return false;
    }
    List<Long> ids = new ArrayList<>(BATCH);
    try (PreparedStatement select =
        connection.prepareStatement(
            "select id, payload from task where lane = ? order by id limit " + BATCH)) {
      select.setInt(1, lane.getAsInt());
      try (ResultSet row = select.executeQuery()) {
        while (row.next()) {
          ids.add(row.getLong(1));
          receiver.receive(row.getString(2));
        }
      }
    }
    Ids.delete(connection, "task", ids);
    return true;
  }

  private OptionalInt lockLane(Connection connection) throws SQLException {
    String rest =
        switch (stage().product()) {
          case POSTGRESQL -> " order by random() limit 1 for update skip locked";
          // InnoDB would lock every row that it sorts.
          case MARIADB, MYSQL -> " limit 1 for update skip locked";
          case SQLITE -> " order by random() limit 1";
        };
    try (PreparedStatement select =
            connection.prepareStatement(
                "select lane from lane where exists (select 1 from task where task.lane = lane.lane)"
                    + rest);
        ResultSet row = select.executeQuery()) {
      return row.next() ? OptionalInt.of(row.getInt(1)) : OptionalInt.empty();
    }
  }
}
