package dev.waybill.internal.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.waybill.schema.SchemaIncompatibleException.LockNotObtained;
import dev.waybill.testkit.ChildJvm;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.Fault;
import dev.waybill.testkit.Fault.Moment;
import dev.waybill.testkit.FaultyDataSource;
import dev.waybill.testkit.Hold;
import dev.waybill.testkit.Operation;
import dev.waybill.testkit.Signals;
import dev.waybill.testkit.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Several migrate at once: one does the work, the others wait, or stop waiting. */
@EveryDatabase(alsoOldest = true)
class ConcurrencyTest {
  /** A thread each: the common pool may have only one, and these wait for one another. */
  private static final Executor THREADS = task -> new Thread(task, "test").start();

  private static final Duration SOON = Duration.ofSeconds(60);

  private final TestDatabase database;
  private final FaultyDataSource first;
  private final FaultyDataSource second;
  private final Signals signals = new Signals();

  ConcurrencyTest(TestDatabase database) {
    this.database = database.fresh();
    this.first = new FaultyDataSource(this.database.dataSource());
    this.second = new FaultyDataSource(this.database.dataSource());
    second
        .on(
            Fault.sql(
                sql -> {
                  if (isLock(sql)) {
                    signals.fire("tried");
                  }
                  return false;
                }))
        .fail(Moment.BEFORE);
  }

  @Test
  void oneAppliesTheOtherWaitsAndFindsItDone() throws Exception {
    Hold hold = holdFirst();
    CompletableFuture<List<Long>> one =
        CompletableFuture.supplyAsync(() -> TestSet.guard(first).migrate(), THREADS);
    hold.awaitReached(SOON);
    CompletableFuture<List<Long>> two =
        CompletableFuture.supplyAsync(() -> TestSet.guard(second).migrate(), THREADS);
    signals.await("tried", SOON);
    assertThat(two).isNotDone();
    hold.release();
    assertThat(one.get(60, TimeUnit.SECONDS)).isEqualTo(TestSet.VERSIONS);
    assertThat(two.get(60, TimeUnit.SECONDS)).isEmpty();
    assertThat(Outcome.of(database)).isEqualTo(Outcome.undisturbed(database));
  }

  @Test
  void twoProcesses() throws Exception {
    try (ChildJvm one = MigratingMain.start(database);
        ChildJvm two = MigratingMain.start(database)) {
      one.awaitLine("ready", SOON);
      two.awaitLine("ready", SOON);
      one.send("go");
      two.send("go");
      List<String> applied =
          List.of(one.awaitLine("applied", SOON), two.awaitLine("applied", SOON));
      assertThat(applied).containsExactlyInAnyOrder("applied " + TestSet.VERSIONS, "applied []");
    }
    assertThat(Outcome.of(database)).isEqualTo(Outcome.undisturbed(database));
  }

  @Test
  void whoWaitsInVainChangesNothing() throws Exception {
    Hold hold = holdFirst();
    CompletableFuture<List<Long>> one =
        CompletableFuture.supplyAsync(() -> TestSet.guard(first).migrate(), THREADS);
    hold.awaitReached(SOON);
    SchemaGuard impatient =
        TestSet.guard(second, TestSet.options().withLockTimeout(Duration.ZERO), TestSet::all);
    assertThatThrownBy(impatient::migrate)
        .isInstanceOfSatisfying(
            LockNotObtained.class,
            thrown -> assertThat(thrown.verdict()).isEqualTo("lock-not-obtained"))
        .hasMessageContaining("busy for PT0S")
        .hasMessageContaining("lockTimeout");
    assertThat(second.trace().stream().map(Operation::sql))
        .noneMatch(sql -> sql.matches("(?is)(create|insert|update|alter|delete).*"));
    hold.release();
    assertThat(one.get(60, TimeUnit.SECONDS)).isEqualTo(TestSet.VERSIONS);
    assertThat(impatient.migrate()).isEmpty();
  }

  @Test
  void anInterruptEndsTheWait() throws Exception {
    Hold hold = holdFirst();
    CompletableFuture<List<Long>> one =
        CompletableFuture.supplyAsync(() -> TestSet.guard(first).migrate(), THREADS);
    hold.awaitReached(SOON);
    AtomicBoolean kept = new AtomicBoolean();
    CompletableFuture<List<Long>> two = new CompletableFuture<>();
    Thread waiter =
        new Thread(
            () -> {
              try {
                two.complete(TestSet.guard(second).migrate());
              } catch (LockNotObtained e) {
                kept.set(Thread.currentThread().isInterrupted());
                two.completeExceptionally(e);
              }
            });
    waiter.start();
    signals.await("tried", SOON);
    waiter.interrupt();
    assertThatThrownBy(() -> two.orTimeout(60, TimeUnit.SECONDS).join())
        .isInstanceOf(CompletionException.class)
        .hasCauseInstanceOf(LockNotObtained.class)
        .hasStackTraceContaining("interrupted");
    assertThat(kept).isTrue();
    waiter.join(SOON.toMillis());
    hold.release();
    assertThat(one.get(60, TimeUnit.SECONDS)).isEqualTo(TestSet.VERSIONS);
  }

  @Test
  void anInterruptDoesNotStopAMigrationThatHasBegun() throws Exception {
    first
        .on(
            Fault.sql(
                sql -> {
                  if (sql.contains("parcel_log")) {
                    Thread.currentThread().interrupt();
                  }
                  return false;
                }))
        .fail(Moment.BEFORE);
    List<Long> applied = TestSet.guard(first).migrate();
    assertThat(Thread.interrupted()).isTrue();
    assertThat(applied).isEqualTo(TestSet.VERSIONS);
    assertThat(Outcome.of(database)).isEqualTo(Outcome.undisturbed(database));
    assertThat(
            TestSet.guard(second, TestSet.options().withLockTimeout(Duration.ZERO), TestSet::all)
                .migrate())
        .isEmpty();
  }

  private Hold holdFirst() {
    return first.on(Fault.sql(sql -> sql.contains("waybill_label"))).hold();
  }

  private static boolean isLock(String sql) {
    return sql.contains("pg_try_advisory_lock")
        || sql.contains("get_lock")
        || sql.startsWith("pragma journal_mode"); // what SQLite's session does before it begins
  }
}
