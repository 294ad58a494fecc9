package dev.waybill.internal.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.Migrated;
import dev.waybill.internal.job.JobBench.Running;
import dev.waybill.job.AttemptOutcome;
import dev.waybill.job.JobAttempt;
import dev.waybill.job.JobDefinition;
import dev.waybill.job.JobRequest;
import dev.waybill.job.JobResult;
import dev.waybill.job.JobStatus;
import dev.waybill.job.RetryPolicy;
import dev.waybill.job.Scope;
import dev.waybill.testkit.ChildJvm;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.NotOn;
import dev.waybill.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A process that has half done jobs that came in bulk dies, or sleeps longer than its lease. */
@Tag("long")
@EveryDatabase
@NotOn(value = DatabaseProduct.SQLITE, why = "one process")
@Timeout(120)
class JobBulkKillTest {
  private static final Duration SOON = Duration.ofSeconds(30);
  private static final int JOBS = 32;

  private final JobBench bench;

  JobBulkKillTest(TestDatabase database) {
    this.bench =
        JobBench.on(
            Migrated.on(database),
            JobDefinition.of("bulk")
                .withRetryPolicy(
                    RetryPolicy.standard()
                        .withBase(Duration.ofMillis(1))
                        .withCap(Duration.ofMillis(1))));
  }

  private List<UUID> load() throws SQLException {
    List<JobRequest> requests =
        IntStream.range(0, JOBS)
            .mapToObj(i -> JobRequest.of("bulk").payload(String.valueOf(i)).build())
            .toList();
    try (Connection connection = bench.home().connect()) {
      connection.setAutoCommit(false);
      List<UUID> ids = new ArrayList<>();
      bench.jobs().enqueueAll(connection, requests).forEach(each -> ids.add(each.id()));
      connection.commit();
      return ids;
    }
  }

  private void takeOver(List<UUID> ids) throws InterruptedException {
    try (Running workers =
        bench.start(
            JobBench.quick("w1").withConcurrency(JOBS),
            Map.of("bulk", context -> JobResult.success()))) {
      workers.jobs().wake();
      for (UUID id : ids) {
        bench.await(id, JobStatus.SUCCEEDED);
      }
    }
  }

  private List<JobAttempt> attempts(UUID id) {
    return bench.jobs().attempts(Scope.admin(), id);
  }

  /** Those that stood still were begun anew; the others did not have to be. */
  private void assertTakenOver(List<UUID> ids) {
    for (int i = 0; i < JOBS; i++) {
      List<JobAttempt> attempts = attempts(ids.get(i));
      assertThat(attempts.get(attempts.size() - 1).outcome()).isEqualTo(AttemptOutcome.SUCCEEDED);
      if (i % 2 == 1) {
        assertThat(attempts)
            .extracting(JobAttempt::outcome)
            .containsExactly(AttemptOutcome.LEASE_EXPIRED, AttemptOutcome.SUCCEEDED);
        assertThat(attempts.get(1).worker()).isEqualTo("w1");
      } else {
        assertThat(attempts).hasSizeBetween(1, 2);
      }
    }
  }

  @Test
  void whatAKilledProcessHadNotDoneIsDoneByAnother() throws Exception {
    List<UUID> ids = load();
    try (ChildJvm child = WorkingMain.start(bench.home())) {
      child.awaitLine("stands still", JOBS / 2, SOON);
      child.kill();
    }
    takeOver(ids);
    assertTakenOver(ids);
  }

  /** Within a transaction it would keep its locks, as long as the server takes it for alive. */
  private void pauseBetweenTransactions(ChildJvm child) throws Exception {
    child.pause();
    for (int tries = 1; holdsLocks(); tries++) {
      assertThat(tries).isLessThan(100);
      child.resume();
      child.pause();
    }
  }

  private boolean holdsLocks() throws SQLException {
    List<String> tables =
        bench.home().product() == DatabaseProduct.POSTGRESQL
            ? List.of("waybill_job", "waybill_job_freight")
            : List.of("waybill_job");
    try (Connection connection = bench.home().connect();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      for (String table : tables) {
        statement.executeQuery("select id from " + table + " for update nowait").close();
      }
      connection.rollback();
      return false;
    } catch (SQLException locked) {
      return true;
    }
  }

  @Test
  void whatAProcessSaysThatSleptTooLongCountsForNothing() throws Exception {
    List<UUID> ids = load();
    try (ChildJvm child = WorkingMain.start(bench.home())) {
      child.awaitLine("stands still", JOBS / 2, SOON);
      for (int i = 0; i < JOBS; i += 2) {
        bench.await(ids.get(i), JobStatus.SUCCEEDED);
      }
      pauseBetweenTransactions(child);
      takeOver(ids);
      child.send("go");
      child.resume();
      child.awaitLine("goes on", JOBS / 2, SOON);
      // Attempts are settled in the order they end: when this one is, the others were tried.
      UUID next = bench.jobs().enqueue(JobRequest.of("bulk").payload("0").build()).id();
      bench.await(next, JobStatus.SUCCEEDED);
    }
    assertTakenOver(ids);
    assertThat(attempts(ids.get(0))).hasSize(1);
  }
}
