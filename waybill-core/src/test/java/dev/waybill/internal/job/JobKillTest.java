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
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two processes; one dies, or sleeps longer than its lease. */
@Tag("long")
@EveryDatabase
@NotOn(value = DatabaseProduct.SQLITE, why = "one process")
@Timeout(120)
class JobKillTest {
  private static final Duration SOON = Duration.ofSeconds(30);

  private final JobBench bench;

  JobKillTest(TestDatabase database) {
    this.bench =
        JobBench.on(
            Migrated.on(database),
            JobDefinition.of("a")
                .withRetryPolicy(
                    RetryPolicy.standard()
                        .withBase(Duration.ofMillis(1))
                        .withCap(Duration.ofMillis(1))));
  }

  private Running takeOver() {
    return bench.start("a", context -> JobResult.success(context.checkpoint() + ""));
  }

  private void assertTakenOver(UUID id) {
    assertThat(bench.jobs().body(Scope.admin(), id).orElseThrow().output()).isEqualTo("\"child\"");
    assertThat(bench.jobs().attempts(Scope.admin(), id))
        .extracting(JobAttempt::outcome)
        .containsExactly(AttemptOutcome.LEASE_EXPIRED, AttemptOutcome.SUCCEEDED);
    assertThat(bench.jobs().attempts(Scope.admin(), id).get(1).worker()).isEqualTo("w1");
  }

  @Test
  void anotherProcessGoesOnFromTheCheckpointOfAKilledOne() throws Exception {
    UUID id = bench.jobs().enqueue(JobRequest.of("a").build()).id();
    try (ChildJvm child = WorkingMain.start(bench.home())) {
      child.awaitLine("running", SOON);
      child.kill();
    }
    try (Running workers = takeOver()) {
      workers.jobs().wake();
      bench.await(id, JobStatus.SUCCEEDED);
    }
    assertTakenOver(id);
  }

  /** Within one it would keep its locks, as long as the server takes it for alive. */
  private void pauseBetweenTransactions(ChildJvm child, UUID id) throws Exception {
    child.pause();
    for (int tries = 1; isLocked(id); tries++) {
      assertThat(tries).isLessThan(100);
      child.resume();
      child.pause();
    }
  }

  private boolean isLocked(UUID id) throws Exception {
    String literal =
        bench.home().product() == DatabaseProduct.POSTGRESQL
            ? "'" + id + "'"
            : "x'" + id.toString().replace("-", "") + "'";
    try (Connection connection = bench.home().connect();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      String sql = "select id from waybill_job where id = " + literal + " for update nowait";
      assertThat(statement.executeQuery(sql).next()).isTrue();
      connection.rollback();
      return false;
    } catch (SQLException locked) {
      return true;
    }
  }

  @Test
  void aCancelReachesAHandlerInAnotherProcess() throws Exception {
    UUID id = bench.jobs().enqueue(JobRequest.of("a").build()).id();
    try (ChildJvm child = WorkingMain.start(bench.home())) {
      child.awaitLine("running", SOON);
      bench.jobs().cancel(Scope.admin(), id, "not needed");
      // It looks twice a second; the rest is for slow machines. Its lease would last longer.
      child.awaitLine("told to stop", Duration.ofMillis(1900));
    }
    assertThat(bench.get(id).status()).isEqualTo(JobStatus.CANCELED);
    assertThat(bench.jobs().attempts(Scope.admin(), id))
        .extracting(JobAttempt::outcome)
        .containsExactly(AttemptOutcome.CANCELED);
  }

  @Test
  void aProcessThatSleptBeyondItsLeaseIsFencedOff() throws Exception {
    UUID id = bench.jobs().enqueue(JobRequest.of("a").build()).id();
    try (ChildJvm child = WorkingMain.start(bench.home())) {
      child.awaitLine("running", SOON);
      pauseBetweenTransactions(child, id);
      try (Running workers = takeOver()) {
        workers.jobs().wake();
        bench.await(id, JobStatus.SUCCEEDED);
      }
      child.send("go");
      child.resume();
      child.awaitLine("done", SOON);
      // Attempts are settled in the order they end: when this one is, the other was tried.
      UUID next = bench.jobs().enqueue(JobRequest.of("a").build()).id();
      child.awaitLine("running", 2, SOON);
      bench.await(next, JobStatus.SUCCEEDED);
    }
    assertTakenOver(id);
  }
}
