package dev.waybill.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.Waybill;
import dev.waybill.job.JobDefinition;
import dev.waybill.job.JobRequest;
import dev.waybill.job.JobResult;
import dev.waybill.job.JobStatus;
import dev.waybill.job.Schedule;
import dev.waybill.schema.Schema;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.ZoneId;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sqlite.SQLiteDataSource;

/** The samples of docs/jobs.md. */
class JobSamplesTest {
  private final SQLiteDataSource dataSource = new SQLiteDataSource();
  private final Printer printer = new Printer();
  private final Orders orders = new Orders();

  JobSamplesTest(@TempDir Path folder) throws SQLException {
    dataSource.setUrl("jdbc:sqlite:" + folder.resolve("orders.db"));
    Schema.migrate(dataSource);
    try (Connection connection = dataSource.getConnection();
        var statement = connection.createStatement()) {
      statement.execute("create table orders (name text primary key)");
    }
  }

  private static final class Printer {
    private final BlockingQueue<String> printed = new LinkedBlockingQueue<>();

    void print(String invoice) {
      printed.add(invoice);
    }
  }

  private static final class Orders {
    void insert(Connection connection, String name) throws SQLException {
      try (var insert = connection.prepareStatement("insert into orders values (?)")) {
        insert.setString(1, name);
        insert.executeUpdate();
      }
    }
  }

  @Test
  void theyRun() throws Exception {
    // sample begins
    Waybill waybill =
        Waybill.builder(dataSource)
            .jobs(
                jobs ->
                    jobs.define(
                            JobDefinition.of("invoice")
                                .withMaxAttempts(5)
                                .withTimeout(Duration.ofMinutes(2))
                                .withMaxRunning(10),
                            job -> {
                              printer.print(job.payload());
                              return JobResult.success();
                            })
                        .keep(JobStatus.SUCCEEDED, Duration.ofDays(7)))
            .start();
    // sample ends
    try (waybill) {
      // sample begins
      waybill
          .outbox()
          .inTransaction(
              connection -> {
                orders.insert(connection, "4711");
                waybill
                    .jobs()
                    .enqueue(
                        connection,
                        JobRequest.of("invoice")
                            .payload("{\"order\": \"4711\"}")
                            .idempotencyKey("invoice 4711")
                            .build());
              });
      // sample ends
      assertThat(printer.printed.poll(30, TimeUnit.SECONDS)).contains("4711");

      // sample begins
      waybill
          .jobs()
          .schedules()
          .put(
              Schedule.of("nightly-invoices", "invoice", "30 2 * * MON-FRI")
                  .withZone(ZoneId.of("Europe/Berlin"))
                  .withMisfire(Schedule.Misfire.ALL, Duration.ofHours(12))
                  .withOverlap(Schedule.Overlap.SKIP));
      // sample ends
      assertThat(waybill.jobs().schedules().list()).hasSize(1);
    }
  }
}
