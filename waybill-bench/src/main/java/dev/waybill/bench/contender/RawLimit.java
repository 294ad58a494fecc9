package dev.waybill.bench.contender;

import dev.waybill.bench.load.Business;
import dev.waybill.bench.load.Parcel;
import dev.waybill.bench.load.Receiver;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

/**
 * The least that any outbox on this database can do: a batched insert into a minimal table, a
 * batched read, and one cursor update per batch. Each producer has a lane of its own, in which it
 * counts for itself; that alone keeps the reader from passing by a transaction that commits late.
 * Nothing is ever deleted, retried, or shared between workers: no outbox, a yardstick.
 */
final class RawLimit implements Contender {
  private static final int BATCH = 5_000;
  private static final int LANES = 64;

  private @Nullable Stage stage;
  private @Nullable Transactions transactions;
  private final AtomicLongArray last = new AtomicLongArray(LANES);
  private final AtomicLongArray read = new AtomicLongArray(LANES);
  private final Crowd crowd = new Crowd();

  @Override
  public void prepare(Stage on) throws SQLException {
    on.execute(
        "create table raw_log (lane int not null, id bigint not null, payload "
            + on.text()
            + " not null, primary key (lane, id))",
        "create table raw_cursor (lane int primary key, id bigint not null)");
    for (int lane = 0; lane < LANES; lane++) {
      on.execute("insert into raw_cursor values (" + lane + ", 0)");
    }
  }

  @Override
  public void open(Stage on) {
    stage = on;
    transactions = new Transactions(on.pool());
  }

  @Override
  public void start(Receiver receiver) {
    crowd.add(1, "raw-reader", 1, () -> deliver(receiver));
  }

  private boolean deliver(Receiver receiver) throws Exception {
    boolean more = false;
    for (int lane = 0; lane < LANES; lane++) {
      if (last.get(lane) > read.get(lane)) {
        int current = lane;
        more |= Given.here(transactions).call(connection -> batch(connection, current, receiver));
      }
    }
    return more;
  }

  private boolean batch(Connection connection, int lane, Receiver receiver) throws SQLException {
    long position = read.get(lane);
    int rows = 0;
    try (PreparedStatement select =
        connection.prepareStatement(
            "select id, payload from raw_log where lane = ? and id > ? order by id limit "
                + BATCH)) {
      select.setInt(1, lane);
      select.setLong(2, position);
      try (ResultSet row = select.executeQuery()) {
        while (row.next()) {
          position = row.getLong(1);
          receiver.receive(row.getString(2));
          rows++;
        }
      }
    }
    if (rows > 0) {
      moveCursor(connection, lane, position);
    }
    return rows == BATCH;
  }

  private void moveCursor(Connection connection, int lane, long position) throws SQLException {
    try (PreparedStatement update =
        connection.prepareStatement("update raw_cursor set id = ? where lane = ?")) {
      update.setLong(1, position);
      update.setInt(2, lane);
      update.executeUpdate();
    }
    read.set(lane, position);
  }

  @Override
  public void send(Business business, List<Parcel> parcels) throws Exception {
    int lane = parcels.get(0).producer() % LANES;
    long from = last.get(lane) + 1;
    Given.here(transactions)
        .run(
            connection -> {
              business.doIn(connection);
              insert(connection, lane, from, parcels);
            });
    last.addAndGet(lane, parcels.size());
  }

  private void insert(Connection connection, int lane, long from, List<Parcel> parcels)
      throws SQLException {
    if (Given.here(stage).isPostgres()) {
      try (PreparedStatement insert =
          connection.prepareStatement(
              "insert into raw_log select ?, ? + row_number() over () - 1, p"
                  + " from unnest(?::text[]) with ordinality as t (p, n) order by n")) {
        insert.setInt(1, lane);
        insert.setLong(2, from);
        insert.setArray(
            3, connection.createArrayOf("text", parcels.stream().map(Parcel::text).toArray()));
        insert.executeUpdate();
      }
      return;
    }
    long[] id = {from};
    Rows.insert(
        connection,
        "insert into raw_log (lane, id, payload) values",
        "(?, ?, ?)",
        parcels,
        (statement, at, parcel) -> {
          statement.setInt(at, lane);
          statement.setLong(at + 1, id[0]++);
          statement.setString(at + 2, parcel.text());
          return at + 3;
        });
  }

  @Override
  public void stop() throws InterruptedException {
    crowd.stop();
  }
}
