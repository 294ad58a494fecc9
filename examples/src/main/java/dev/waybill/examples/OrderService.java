package dev.waybill.examples;

import dev.waybill.Waybill;
import dev.waybill.job.JobContext;
import dev.waybill.job.JobDefinition;
import dev.waybill.job.JobRequest;
import dev.waybill.job.JobResult;
import dev.waybill.job.JobStatus;
import dev.waybill.job.Schedule;
import dev.waybill.schema.Schema;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Optional;
import java.util.function.LongConsumer;
import javax.sql.DataSource;

/**
 * A service whose slow work is done by jobs: placing an order and asking for its pick-up are one
 * transaction, a busy carrier is asked again when it said, and the bills of the night go on where a
 * killed process left off.
 */
public final class OrderService implements AutoCloseable {
  /** Half past two: an hour that Berlin has twice in October and not at all in March. */
  public static final Schedule NIGHTLY =
      Schedule.of("nightly-bills", "bill", "30 2 * * *").withZone(ZoneId.of("Europe/Berlin"));

  private final DataSource dataSource;
  private final Carrier carrier;
  private final LongConsumer billed;
  private final Waybill waybill;

  /**
   * Makes the tables if need be, and starts to work.
   *
   * @param billed is told the number of each order that has its bill
   */
  public OrderService(DataSource dataSource, Carrier carrier, LongConsumer billed)
      throws SQLException {
    this.dataSource = dataSource;
    this.carrier = carrier;
    this.billed = billed;
    Schema.migrate(dataSource);
    try (Connection connection = dataSource.getConnection();
        var statement = connection.createStatement()) {
      statement.execute(
          "create table if not exists orders ("
              + "number integer primary key, name text not null unique, state text not null)");
    }
    this.waybill =
        Waybill.builder(dataSource)
            .jobs(
                jobs ->
                    jobs.define(JobDefinition.of("ship").withMaxAttempts(20), this::ship)
                        .define(JobDefinition.of("bill"), this::bill)
                        .keep(JobStatus.SUCCEEDED, Duration.ofDays(30))
                        .options(
                            options ->
                                // What a killed process held is free again after two seconds.
                                options
                                    .withLease(Duration.ofSeconds(2))
                                    .withReap(Duration.ofMillis(500))))
            .start();
    waybill.jobs().schedules().put(NIGHTLY);
  }

  /** Places an order. To do so twice, because an answer was lost, changes nothing. */
  public void place(String order) throws Exception {
    waybill
        .outbox()
        .inTransaction(
            connection -> {
              update(
                  connection,
                  "insert or ignore into orders (name, state) values (?, 'placed')",
                  order);
              waybill
                  .jobs()
                  .enqueue(
                      connection,
                      JobRequest.of("ship")
                          .payload("\"" + order + "\"")
                          .idempotencyKey("ship " + order)
                          .build());
            });
  }

  private JobResult ship(JobContext job) {
    String order = job.payload().replace("\"", "");
    Optional<Duration> patience = carrier.fetch(order, job.leaseEpoch());
    if (patience.isPresent()) {
      return JobResult.retry("carrier_busy", "The carrier asks for patience").after(patience.get());
    }
    // In the transaction that ends the job: neither is there without the other.
    return JobResult.success()
        .inTransaction(
            connection ->
                update(connection, "update orders set state = 'shipped' where name = ?", order));
  }

  /** Writes the bills now instead of at night. */
  public void billNow() {
    waybill.jobs().schedules().trigger(NIGHTLY.name());
  }

  private JobResult bill(JobContext job) throws SQLException {
    String lastTime = job.checkpoint();
    long done = lastTime == null ? 0 : Long.parseLong(lastTime);
    long last = count("select coalesce(max(number), 0) from orders");
    while (done < last && !job.isCanceled()) {
      done++;
      billed.accept(done);
      job.checkpoint(Long.toString(done));
      job.progress(done, last);
    }
    // Asked to stop, by a deadline or the end of the process: another run goes on from here.
    return done < last
        ? JobResult.continueAfter(Duration.ZERO)
        : JobResult.success("{\"billed\": " + done + "}");
  }

  /** How many orders are in a state. */
  public long orders(String state) throws SQLException {
    return count("select count(*) from orders where state = '" + state + "'");
  }

  /** The times of the next nights. */
  public List<Instant> nights(Instant after, int count) {
    return waybill.jobs().schedules().preview(NIGHTLY, after, count);
  }

  private long count(String sql) throws SQLException {
    try (Connection connection = dataSource.getConnection();
        var statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getLong(1);
    }
  }

  private static void update(Connection connection, String sql, String value) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setString(1, value);
      statement.executeUpdate();
    }
  }

  @Override
  public void close() {
    waybill.close();
  }
}
