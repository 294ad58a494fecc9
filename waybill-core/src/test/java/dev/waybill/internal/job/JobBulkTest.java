package dev.waybill.internal.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.waybill.DatabaseException;
import dev.waybill.Migrated;
import dev.waybill.job.Enqueued;
import dev.waybill.job.Enqueued.Outcome;
import dev.waybill.job.JobDefinition;
import dev.waybill.job.JobException.IdempotencyConflict;
import dev.waybill.job.JobRequest;
import dev.waybill.job.Scope;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.Fault;
import dev.waybill.testkit.Fault.Moment;
import dev.waybill.testkit.FaultyDataSource;
import dev.waybill.testkit.NotOn;
import dev.waybill.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A call of many requests is done as a whole, or not at all. */
@EveryDatabase
@Timeout(120)
class JobBulkTest {
  private final JobBench bench;

  JobBulkTest(TestDatabase database) {
    this.bench = JobBench.on(Migrated.on(database), JobDefinition.of("mail"));
  }

  private static JobRequest.Builder keyed() {
    return JobRequest.of("mail").idempotencyKey("order-1");
  }

  /** Whoever has so much to say that it takes several statements. */
  @Test
  void ofACallThatFailsHalfwayNothingIsLeftEvenIfItsTransactionIsCommitted() throws SQLException {
    FaultyDataSource source = new FaultyDataSource(bench.home().dataSource());
    JobBench other = JobBench.over(bench.home(), source);
    JobRequest large = JobRequest.of("mail").payload("\"" + "x".repeat(2_000_000) + "\"").build();
    source.on(Fault.sql(2, sql -> sql.contains("insert into"))).fail(Moment.BEFORE);
    try (Connection connection = source.getConnection()) {
      connection.setAutoCommit(false);
      assertThatThrownBy(() -> other.jobs().enqueueAll(connection, List.of(large, large)))
          .isInstanceOf(DatabaseException.class);
      connection.commit();
      assertThat(bench.count("waybill_job")).isZero();
      other.jobs().enqueueAll(connection, List.of(large, large));
      connection.commit();
      connection.setAutoCommit(true);
    }
    assertThat(bench.count("waybill_job")).isEqualTo(2);
  }

  /** Whoever inserts a key waits for whoever has just inserted it, and must not be waited for. */
  @Test
  @NotOn(
      value = {DatabaseProduct.MYSQL, DatabaseProduct.MARIADB},
      why =
          "unique indexes are locked between their entries there, in an order of the server's own")
  void callsWithTheSameKeysInAnyOrderDoNotStandInEachOthersWay() throws Exception {
    int rounds = 20;
    CyclicBarrier start = new CyclicBarrier(2);
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try {
      List<Callable<Integer>> calls =
          Stream.of(false, true)
              .<Callable<Integer>>map(
                  reversed ->
                      () -> {
                        int inserted = 0;
                        for (int round = 0; round < rounds; round++) {
                          start.await(30, TimeUnit.SECONDS);
                          inserted += enqueueKeys(round, reversed);
                        }
                        return inserted;
                      })
              .toList();
      int inserted = 0;
      for (Future<Integer> call : threads.invokeAll(calls)) {
        inserted += call.get();
      }
      assertThat(inserted).isEqualTo(rounds * 100);
    } finally {
      threads.shutdownNow();
    }
  }

  private int enqueueKeys(int round, boolean reversed) throws SQLException {
    List<JobRequest> requests = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      requests.add(JobRequest.of("mail").idempotencyKey("key " + round + "." + i).build());
    }
    if (reversed) {
      Collections.reverse(requests);
    }
    try (Connection connection = bench.home().connect()) {
      connection.setAutoCommit(false);
      List<Enqueued> all = bench.jobs().enqueueAll(connection, requests);
      connection.commit();
      return (int) all.stream().filter(each -> each.outcome() == Outcome.INSERTED).count();
    }
  }

  /**
   * Also if the caller goes on and commits: a part of a call would be nothing anybody asked for.
   */
  @Test
  void aCallThatIsRefusedReplacesNothing() throws Exception {
    Enqueued waiting =
        bench.jobs().enqueue(JobRequest.of("mail").replacePending("index").payload("1").build());
    bench.jobs().enqueue(keyed().build());
    try (var connection = bench.home().connect()) {
      connection.setAutoCommit(false);
      assertThatThrownBy(
              () ->
                  bench
                      .jobs()
                      .enqueueAll(
                          connection,
                          List.of(
                              JobRequest.of("mail").replacePending("index").payload("2").build(),
                              keyed().payload("\"another\"").build())))
          .isInstanceOf(IdempotencyConflict.class);
      connection.commit();
    }
    assertThat(bench.jobs().body(Scope.admin(), waiting.id()).orElseThrow().payload())
        .isEqualTo("1");
    assertThat(bench.jobs().events(Scope.admin(), waiting.id(), 0, 10)).isEmpty();
    assertThat(bench.count("waybill_job")).isEqualTo(2);
  }
}
