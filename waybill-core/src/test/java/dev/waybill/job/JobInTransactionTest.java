package dev.waybill.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.waybill.Migrated;
import dev.waybill.Waybill;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.NotOn;
import dev.waybill.testkit.TestDatabase;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is enqueued in a transaction that Waybill ends is begun when that has committed. */
@EveryDatabase
@Timeout(60)
class JobInTransactionTest {
  private final LinkedBlockingQueue<UUID> begun = new LinkedBlockingQueue<>();
  private final Semaphore ends = new Semaphore(0);
  private final TestDatabase home;

  JobInTransactionTest(TestDatabase database) {
    this.home = Migrated.on(database);
  }

  private Waybill start() {
    return start(
        32,
        job -> {
          begun.add(job.id());
          return JobResult.success();
        });
  }

  /** Whoever is not told looks once in ten minutes. */
  private Waybill start(int concurrency, JobHandler handler) {
    boolean file = home.product() == DatabaseProduct.SQLITE;
    return Waybill.builder(file ? home.dataSource() : home.pool(10))
        .jobs(
            jobs ->
                jobs.define(JobDefinition.of("a"), handler)
                    .options(
                        options ->
                            options
                                .withConcurrency(concurrency)
                                .withPoll(Duration.ofMinutes(10), Duration.ofMinutes(10))))
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

  /** Whoever enqueues there has no moment after the commit to say so. */
  @Test
  void whatIsEnqueuedWithTheEndOfAJobIsBegunAfterThatEnd() throws Exception {
    var jobs = new LinkedBlockingQueue<Jobs>();
    JobHandler handler =
        job -> {
          begun.add(job.id());
          if (!job.payload().equals("\"first\"")) {
            return JobResult.success();
          }
          Jobs door = jobs.take();
          return JobResult.success()
              .inTransaction(
                  connection ->
                      door.enqueueAll(
                          connection, Collections.nCopies(2, JobRequest.of("a").build())));
        };
    try (Waybill waybill = start(4, handler)) {
      UUID first = waybill.jobs().enqueue(JobRequest.of("a").payload("\"first\"").build()).id();
      jobs.add(waybill.jobs());
      assertThat(next()).isEqualTo(first);
      assertThat(List.of(next(), next())).doesNotHaveDuplicates().doesNotContain(first);
    }
  }

  /** This process has slots, but not as many. */
  @Test
  @NotOn(
      value = {DatabaseProduct.MYSQL, DatabaseProduct.MARIADB, DatabaseProduct.SQLITE},
      why = "processes tell each other nothing there")
  void othersHearOfWhatThisProcessLeavesToThem() throws Exception {
    JobHandler handler =
        job -> {
          begun.add(job.id());
          ends.acquire();
          return JobResult.success();
        };
    try (Waybill one = start(2, handler);
        Waybill other = start(4, handler)) {
      // The third finds no slot here: when it has begun, the other process listens.
      for (int i = 0; i < 3; i++) {
        one.jobs().enqueue(JobRequest.of("a").build());
      }
      awaitBegun(3, one);
      one.outbox()
          .inTransaction(
              connection ->
                  one.jobs()
                      .enqueueAll(connection, Collections.nCopies(6, JobRequest.of("a").build())));
      for (int i = 0; i < 6; i++) {
        next();
      }
      ends.release(6);
      assertThat(other.jobs().statistics().claimed()).isGreaterThanOrEqualTo(4);
    }
  }

  private void awaitBegun(int jobs, Waybill waybill) throws InterruptedException {
    for (int i = 0; i < jobs; i++) {
      next();
    }
    ends.release(jobs);
    while (waybill.jobs().count("a", JobStatus.SUCCEEDED, jobs) < jobs) {
      Thread.onSpinWait();
    }
  }
}
