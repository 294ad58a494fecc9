package dev.waybill.outbox;

import dev.waybill.internal.store.StoredRows;
import dev.waybill.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;

/** Puts dead letters into the table as a delivery would, only faster and at any time. */
public final class Graveyard {
  /** When the first of them fails, if nothing else is said; each fails a second after the other. */
  public static final Instant FIRST = Instant.parse("2024-05-01T12:00:00.000001Z");

  private static final String INSERT =
      """
      insert into waybill_outbox_dead_letters (partition_id, seq, message_id, type, message_key,
        headers, payload, created_at, failed_at, last_error, attempts, status)
      values (?, ?, ?, ?, null, null, ?, ?, ?, 'no', 3, 'pending')
      """;

  private final TestDatabase database;

  /** Of a database whose queues are registered. */
  public Graveyard(TestDatabase database) {
    this.database = database;
  }

  /** Buries so many pending ones of type {@code test}, numbered from 1 on; gives their ids. */
  public List<Long> bury(String queue, int partition, int count) throws SQLException {
    return bury(queue, partition, count, "test", FIRST);
  }

  /** Buries so many pending ones, the first of which failed then; gives their ids. */
  public List<Long> bury(String queue, int partition, int count, String type, Instant first)
      throws SQLException {
    try (Connection connection = database.connect()) {
      long partitionId =
          number(
              connection,
              "select p.id from waybill_outbox_partitions p join waybill_outbox_queues q"
                  + " on q.id = p.queue_id where q.name = '"
                  + queue
                  + "' and p.number = "
                  + partition);
      String where = " from waybill_outbox_dead_letters where partition_id = " + partitionId;
      long last = number(connection, "select coalesce(max(seq), 0)" + where);
      connection.setAutoCommit(false);
      try (PreparedStatement insert = connection.prepareStatement(INSERT)) {
        for (int i = 1; i <= count; i++) {
          long failedAt = ChronoUnit.MICROS.between(Instant.EPOCH, first.plusSeconds(i - 1));
          insert.setLong(1, partitionId);
          insert.setLong(2, last + i);
          insert.setLong(3, 1_000 + last + i);
          insert.setString(4, type);
          insert.setBytes(5, ("payload " + i).getBytes(java.nio.charset.StandardCharsets.UTF_8));
          insert.setLong(6, failedAt - 1_000_000);
          insert.setLong(7, failedAt);
          insert.addBatch();
        }
        insert.executeBatch();
      }
      connection.commit();
      return numbers(connection, "select id" + where + " and seq > " + last + " order by seq");
    }
  }

  /** Changes columns of dead letters as only time or an accident could. */
  public void set(String assignments, List<Long> ids) throws SQLException {
    database.execute(
        "update waybill_outbox_dead_letters set "
            + assignments
            + " where id in ("
            + String.join(", ", ids.stream().map(String::valueOf).toList())
            + ")");
  }

  /** How many messages have no number yet. */
  public long incoming() throws SQLException {
    return number(StoredRows.countWaiting(database.product()));
  }

  /** How many messages there are. */
  public long bodies() throws SQLException {
    return number(StoredRows.count(database.product()));
  }

  /** The answer to a query for one number. */
  public long number(String sql) throws SQLException {
    try (Connection connection = database.connect()) {
      return number(connection, sql);
    }
  }

  private static long number(Connection connection, String sql) throws SQLException {
    return numbers(connection, sql).get(0);
  }

  private static List<Long> numbers(Connection connection, String sql) throws SQLException {
    List<Long> numbers = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        var rows = statement.executeQuery(sql)) {
      while (rows.next()) {
        numbers.add(rows.getLong(1));
      }
    }
    return numbers;
  }
}
