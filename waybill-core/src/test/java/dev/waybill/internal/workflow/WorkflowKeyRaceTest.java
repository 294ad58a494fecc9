package dev.waybill.internal.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.waybill.Migrated;
import dev.waybill.job.Scope;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.Fault;
import dev.waybill.testkit.FaultyDataSource;
import dev.waybill.testkit.Hold;
import dev.waybill.testkit.NotOn;
import dev.waybill.testkit.TestDatabase;
import dev.waybill.workflow.GateCompletion;
import dev.waybill.workflow.Rerun;
import dev.waybill.workflow.Started;
import dev.waybill.workflow.Step;
import dev.waybill.workflow.Workflow;
import dev.waybill.workflow.WorkflowException.InvalidState;
import dev.waybill.workflow.WorkflowStatus;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A run that begins again wants its active key, which another one has or is about to get. */
@EveryDatabase
@NotOn(value = DatabaseProduct.SQLITE, why = "a transaction that writes has the whole database")
@Timeout(180)
class WorkflowKeyRaceTest {
  private static final Scope GLOBAL = Scope.global();

  private final LockTrouble trouble = new LockTrouble();
  private final WorkflowBench bench;
  private final WorkflowBench watched;
  private final FaultyDataSource faulty;
  private final WorkflowBench late;
  private final ExecutorService other = Executors.newSingleThreadExecutor();
  private final ExecutorService another = Executors.newSingleThreadExecutor();

  WorkflowKeyRaceTest(TestDatabase database) {
    this.bench = WorkflowBench.on(Migrated.on(database), "t");
    this.watched = WorkflowBench.over(bench.home(), trouble.on(WorkflowBench.source(bench.home())));
    this.faulty = new FaultyDataSource(WorkflowBench.source(bench.home()));
    this.late = WorkflowBench.over(bench.home(), trouble.on(faulty));
  }

  @AfterEach
  void stop() {
    other.shutdownNow();
    another.shutdownNow();
  }

  private static Workflow keyed() {
    return WorkflowBench.of(Step.gate("g1"), Step.gate("g2")).activeKey("a").build();
  }

  private static GateCompletion done(UUID run, String gate) {
    return GateCompletion.succeed(GLOBAL, run, gate, "1");
  }

  private UUID failed() {
    UUID run = bench.workflows().start(keyed()).id();
    bench.workflows().completeGate(GateCompletion.fail(GLOBAL, run, "g1", "c", "m"));
    bench.workflows().completeGate(done(run, "g2"));
    assertThat(bench.get(run).status()).isEqualTo(WorkflowStatus.FAILED);
    return run;
  }

  private Connection caller() throws SQLException {
    Connection connection = trouble.on(bench.home().dataSource()).getConnection();
    connection.setAutoCommit(false);
    return connection;
  }

  private static void assertWaits(Future<?> call) {
    assertThatThrownBy(() -> call.get(300, TimeUnit.MILLISECONDS))
        .isInstanceOf(TimeoutException.class);
  }

  @Test
  void whoeverIsTriedAgainWaitsForTheEndOfWhoHasItsKey() throws Exception {
    UUID run = failed();
    whileAnotherEnds(id -> watched.workflows().retry(GLOBAL, id, "again"), run);
    assertThat(bench.get(run).status()).isEqualTo(WorkflowStatus.WAITING);
    assertThat(bench.workflows().findActive(GLOBAL, "a").orElseThrow().id()).isEqualTo(run);
  }

  @Test
  void whoeverRunsOnceMoreWaitsForTheEndOfWhoHasItsKey() throws Exception {
    UUID run = failed();
    whileAnotherEnds(id -> watched.workflows().rerun(Rerun.all(GLOBAL, id, "k", "again")), run);
    assertThat(bench.workflows().findActive(GLOBAL, "a").orElseThrow().source()).isEqualTo(run);
  }

  @Test
  void whoeverStartsMeetsOneWhoHasTakenTheKeySinceAndEnds() throws Exception {
    Hold looked = faulty.on(Fault.sql(WorkflowKeyRaceTest::isInsert)).hold();
    Future<Started> second = other.submit(() -> late.workflows().start(keyed()));
    looked.awaitReached(Duration.ofSeconds(30));
    UUID holder = bench.workflows().start(keyed()).id();
    try (Connection caller = caller()) {
      bench.workflows().completeGate(caller, done(holder, "g1"));
      looked.release();
      assertWaits(second);
      bench.workflows().completeGate(caller, done(holder, "g2"));
      caller.commit();
    }
    Started started = second.get(30, TimeUnit.SECONDS);
    assertThat(started.outcome()).isEqualTo(Started.Outcome.STARTED);
    assertThat(bench.workflows().findActive(GLOBAL, "a").orElseThrow().id())
        .isEqualTo(started.id());
    assertThat(trouble.seen()).isEmpty();
    WorkflowInvariants.hold(bench.home());
  }

  private static boolean isInsert(String sql) {
    return sql.contains("insert into") && sql.contains("active_hash");
  }

  /** Who has the key's entry waits for the run here and there, so who has the run must not wait. */
  @Test
  void whoeverRunsOnceMoreDoesNotWaitForWhoTakesItsKey() throws Exception {
    UUID run = failed();
    Hold locked = faulty.on(Fault.sql(sql -> sql.contains("where active_hash ="))).hold();
    Future<Started> again =
        other.submit(() -> late.workflows().rerun(Rerun.all(GLOBAL, run, "k", "again")));
    locked.awaitReached(Duration.ofSeconds(30));
    Future<Started> start = another.submit(() -> watched.workflows().start(keyed()));
    if (bench.home().product() == DatabaseProduct.POSTGRESQL) {
      start.get(30, TimeUnit.SECONDS);
    } else {
      assertWaits(start);
    }
    locked.release();
    assertThatThrownBy(() -> again.get(30, TimeUnit.SECONDS))
        .hasCauseInstanceOf(InvalidState.class)
        .hasMessageContaining("active key");
    assertThat(start.get(30, TimeUnit.SECONDS).outcome()).isEqualTo(Started.Outcome.STARTED);
    assertThat(trouble.seen()).isEmpty();
    WorkflowInvariants.hold(bench.home());
  }

  /** One who holds his run, and ends it only then, would meet one who holds the key's entry. */
  private void whileAnotherEnds(Consumer<UUID> again, UUID run) throws Exception {
    UUID holder = bench.workflows().start(keyed()).id();
    try (Connection caller = caller()) {
      bench.workflows().completeGate(caller, done(holder, "g1"));
      Future<?> second = other.submit(() -> again.accept(run));
      assertWaits(second);
      bench.workflows().completeGate(caller, done(holder, "g2"));
      caller.commit();
      second.get(30, TimeUnit.SECONDS);
    }
    assertThat(bench.get(holder).status()).isEqualTo(WorkflowStatus.SUCCEEDED);
    assertThat(trouble.seen()).isEmpty();
  }

  @Test
  void whoeverIsTriedAgainWhileAnotherTakesItsKeyIsToldSo() throws Exception {
    UUID run = failed();
    try (Connection caller = caller()) {
      bench.workflows().start(caller, keyed());
      Future<?> second = other.submit(() -> watched.workflows().retry(GLOBAL, run, "again"));
      assertWaits(second);
      caller.commit();
      assertThatThrownBy(() -> second.get(30, TimeUnit.SECONDS))
          .hasCauseInstanceOf(InvalidState.class)
          .hasMessageContaining("active key");
    }
    assertThat(bench.get(run).status()).isEqualTo(WorkflowStatus.FAILED);
    WorkflowInvariants.hold(bench.home());
  }
}
