package dev.waybill.bench.contender;

import dev.waybill.bench.load.Business;
import dev.waybill.bench.load.Parcel;
import dev.waybill.bench.load.Receiver;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a good engineer writes in fifty lines: one table, several pollers that take a batch of 100
 * with {@code FOR UPDATE SKIP LOCKED}, handle it and delete it in the same transaction. No retry,
 * no dead letters.
 */
abstract class HandWritten implements Contender {
  static final int BATCH = 100;
  private static final int POLLERS = 4;
  private static final int POLL_MILLIS = 50;

  private final Crowd crowd = new Crowd();
  private @Nullable Stage stage;
  private @Nullable Transactions transactions;

  @Override
  public final void open(Stage on) {
    stage = on;
    transactions = new Transactions(on.pool());
  }

  @Override
  public final void start(Receiver receiver) {
    int pollers = stage().isSqlite() ? 1 : POLLERS;
    crowd.add(
        pollers,
        "poller",
        POLL_MILLIS,
        () -> Given.here(transactions).call(connection -> deliver(connection, receiver)));
  }

  /** Handles a batch and answers whether there may be more. */
  abstract boolean deliver(Connection connection, Receiver receiver) throws SQLException;

  @Override
  public final void send(Business business, List<Parcel> parcels) throws Exception {
    Stage on = stage();
    Given.here(transactions)
        .run(
            connection -> {
              business.doIn(connection);
              Rows.insert(
                  connection,
                  "insert into task (lane, payload) values",
                  "(?, ?)",
                  parcels,
                  (statement, at, parcel) -> {
                    statement.setInt(at, on.lane(parcel.key()));
                    statement.setString(at + 1, parcel.text());
                    return at + 2;
                  });
            });
  }

  Stage stage() {
    return Given.here(stage);
  }

  @Override
  public final void stop() throws InterruptedException {
    crowd.stop();
  }
}
