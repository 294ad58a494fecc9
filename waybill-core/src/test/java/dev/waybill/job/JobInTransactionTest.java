package dev.waybill.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.waybill.Migrated;
import dev.waybill.Waybill;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.TestDatabase;
import java.time.Duration;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is enqueued in a transaction that Waybill ends is begun when that has committed. */
@EveryDatabase
@Timeout(60)
class JobInTransactionTest {
  private final LinkedBlockingQueue<UUID> begun = new LinkedBlockingQueue<>();
  private final TestDatabase home;

  JobInTransactionTest(TestDatabase database) {
    this.home = Migrated.on(database);
  }

  /** Whoever is not told looks once in ten minutes. */
  private Waybill start() {
    boolean file = home.product() == DatabaseProduct.SQLITE;
    return Waybill.builder(file ? home.dataSource() : home.pool(10))
        .jobs(
            jobs ->
                jobs.define(
                        JobDefinition.of("a"),
                        job -> {
                          begun.add(job.id());
                          return JobResult.success();
                        })
                    .options(
                        options ->
                            options.withPoll(Duration.ofMinutes(10), Duration.ofMinutes(10))))
        .start();
  }

  private UUID next() throws InterruptedException {
    return Objects.requireNonNull(begun.poll(30, TimeUnit.SECONDS), "no handler has begun");
  }

  @Test
  void nobodyHasToSayThatItIsThere() throws Exception {
    try (Waybill waybill = start()) {
      for (int i = 0; i < 5; i++) {
        var job = new LinkedBlockingQueue<UUID>();
        waybill
            .outbox()
            .inTransaction(
                connection ->
                    job.add(waybill.jobs().enqueue(connection, JobRequest.of("a").build()).id()));
        assertThat(next()).isEqualTo(job.take());
      }
      var two = new LinkedBlockingQueue<UUID>();
      waybill
          .outbox()
          .inTransaction(
              connection -> {
                two.add(waybill.jobs().enqueue(connection, JobRequest.of("a").build()).id());
                two.add(waybill.jobs().enqueue(connection, JobRequest.of("a").build()).id());
              });
      assertThat(two).containsExactlyInAnyOrder(next(), next());
    }
  }

  @Test
  void whatIsRolledBackIsNotBegun() throws Exception {
    try (Waybill waybill = start()) {
      assertThatThrownBy(
              () ->
                  waybill
                      .outbox()
                      .inTransaction(
                          connection -> {
                            waybill.jobs().enqueue(connection, JobRequest.of("a").build());
                            throw new IllegalStateException("no");
                          }))
          .hasMessage("no");
      UUID second = waybill.jobs().enqueue(JobRequest.of("a").build()).id();
      assertThat(next()).isEqualTo(second);
      assertThat(begun).isEmpty();
    }
  }
}
