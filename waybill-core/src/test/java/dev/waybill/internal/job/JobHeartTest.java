package dev.waybill.internal.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.waybill.DatabaseException;
import dev.waybill.Migrated;
import dev.waybill.internal.job.JobBench.Running;
import dev.waybill.internal.loop.Next;
import dev.waybill.internal.loop.Time;
import dev.waybill.internal.store.JobLeaseStore.Claim;
import dev.waybill.job.AttemptOutcome;
import dev.waybill.job.JobAttempt;
import dev.waybill.job.JobDefinition;
import dev.waybill.job.JobOptions;
import dev.waybill.job.JobRequest;
import dev.waybill.job.JobResult;
import dev.waybill.job.JobStatus;
import dev.waybill.job.Scope;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.Fault;
import dev.waybill.testkit.FaultyDataSource;
import dev.waybill.testkit.NotOn;
import dev.waybill.testkit.Signals;
import dev.waybill.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Leases are renewed whatever handlers do to connections and rows. */
@EveryDatabase
@Timeout(120)
@SuppressWarnings("try") // That the workers run is all that is wanted of them.
class JobHeartTest {
  private final JobBench bench;
  private final Signals signals = new Signals();

  JobHeartTest(TestDatabase database) {
    this.bench = JobBench.on(Migrated.on(database), JobDefinition.of("a"), JobDefinition.of("b"));
  }

  private UUID enqueue(String type) {
    return bench.jobs().enqueue(JobRequest.of(type).build()).id();
  }

  private Instant leaseOf(UUID id) {
    return Objects.requireNonNull(bench.get(id).leaseUntil());
  }

  private void awaitLeaseAfter(UUID id, Instant time) {
    Instant end = Instant.now().plusSeconds(60);
    while (!leaseOf(id).isAfter(time)) {
      assertThat(Instant.now()).as("waited for the lease to be renewed").isBefore(end);
      Thread.onSpinWait();
    }
  }

  private String literal(UUID id) {
    return bench.home().product() == DatabaseProduct.POSTGRESQL
        ? "'" + id + "'"
        : "x'" + id.toString().replace("-", "") + "'";
  }

  private List<AttemptOutcome> outcomes(UUID id) {
    return bench.jobs().attempts(Scope.admin(), id).stream().map(JobAttempt::outcome).toList();
  }

  @Test
  @NotOn(value = DatabaseProduct.SQLITE, why = "no pool that could run dry")
  void aHandlerThatTakesAllConnectionsKeepsItsLease() throws Exception {
    HikariDataSource pool = bench.home().pool(4);
    ExecutorService greedy = Executors.newSingleThreadExecutor();
    UUID id = enqueue("a");
    try (Running workers =
        JobBench.over(bench.home(), pool)
            .start(
                JobBench.quick("w1").withLease(Duration.ofSeconds(6)),
                Map.of(
                    "a",
                    context -> {
                      List<Connection> taken = new ArrayList<>();
                      CompletableFuture<Connection> last;
                      try {
                        for (int i = 1; i < pool.getMaximumPoolSize(); i++) {
                          taken.add(pool.getConnection());
                        }
                        // The heart's, if that were to be had.
                        last = CompletableFuture.supplyAsync(() -> connection(pool), greedy);
                        signals.fire("dry");
                        signals.await("go", Duration.ofSeconds(60));
                      } finally {
                        for (Connection each : taken) {
                          each.close();
                        }
                      }
                      last.get().close();
                      return JobResult.success();
                    }))) {
      signals.await("dry", Duration.ofSeconds(60));
      awaitLeaseAfter(id, leaseOf(id).plusSeconds(2));
      signals.fire("go");
      bench.await(id, JobStatus.SUCCEEDED);
    } finally {
      greedy.shutdownNow();
    }
    assertThat(outcomes(id)).containsExactly(AttemptOutcome.SUCCEEDED);
  }

  private static Connection connection(HikariDataSource pool) {
    try {
      return pool.getConnection();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void whatCannotBeRenewedIsNotBegunAndCostsNoAttempt() throws Exception {
    FaultyDataSource faulty = new FaultyDataSource(bench.home().dataSource());
    JobBench other = JobBench.over(bench.home(), faulty);
    RunningJobs running = new RunningJobs(4);
    JobHeart heart = new JobHeart(other.database(), Time.system(), JobOptions.of("w"), running);
    faulty.on(Fault.connect(1)).fail(Fault.Moment.BEFORE);
    assertThatThrownBy(heart::prepare).isInstanceOf(DatabaseException.class);
    heart.prepare();
    assertThat(heart.runOnce()).as("nothing runs").isEqualTo(Next.whenRung());
    enqueue("a");
    Claim claim = bench.claim("w", 1, Duration.ofMinutes(1), "a").get(0);
    running.add(
        List.of(
            new JobRun(claim, "w", Time.system().nanos(), Duration.ofMinutes(1), Runnable::run)));
    heart.prepare();
    Next look = Next.after(Duration.ofMillis(500));
    long before = faulty.counts().statements();
    assertThat(heart.runOnce()).as("nobody has to look yet").isEqualTo(look);
    assertThat(faulty.counts().statements()).isEqualTo(before);
    assertThat(heart.runOnce()).isEqualTo(look);
    assertThat(faulty.counts().statements()).isGreaterThan(before);
    heart.close();
  }

  /** A handler that ignores its interrupt is left behind, and nobody would give it back. */
  @Test
  void aHeartThatWasClosedTakesNoConnection() {
    FaultyDataSource source = new FaultyDataSource(bench.home().dataSource());
    JobBench other = JobBench.over(bench.home(), source);
    RunningJobs running = new RunningJobs(4);
    JobHeart heart = new JobHeart(other.database(), Time.system(), JobOptions.of("w"), running);
    enqueue("a");
    Claim claim = bench.claim("w", 1, Duration.ofMinutes(1), "a").get(0);
    running.add(
        List.of(
            new JobRun(claim, "w", Time.system().nanos(), Duration.ofMinutes(1), Runnable::run)));
    heart.close();
    int before = source.trace().size();
    heart.prepare();
    assertThat(heart.runOnce()).isEqualTo(Next.whenRung());
    assertThat(source.trace()).hasSize(before);
  }

  @Test
  @NotOn(value = DatabaseProduct.SQLITE, why = "whoever writes holds the whole file")
  void aHandlerThatHoldsItsOwnRowIsNotHeldUpAndOthersAreRenewed() throws Exception {
    UUID holder = enqueue("a");
    UUID other = enqueue("b");
    try (Running workers =
        bench.start(
            JobBench.quick("w1").withLease(Duration.ofSeconds(6)),
            Map.of(
                "a",
                context -> {
                  try (Connection connection = bench.home().connect();
                      Statement statement = connection.createStatement()) {
                    connection.setAutoCommit(false);
                    // By its key, or MySQL would lock what it looks at, too.
                    statement.execute(
                        "select id from waybill_job where id = "
                            + literal(context.id())
                            + " for update");
                    signals.fire("held");
                    signals.await("renewed", Duration.ofSeconds(60));
                    connection.rollback();
                  }
                  return JobResult.success();
                },
                "b",
                context -> {
                  signals.fire("other");
                  signals.await("go", Duration.ofSeconds(60));
                  return JobResult.success();
                }))) {
      signals.await("held", JobBench.SOON);
      signals.await("other", JobBench.SOON);
      Instant before = leaseOf(holder);
      awaitLeaseAfter(other, leaseOf(other).plusMillis(500));
      assertThat(leaseOf(holder)).isEqualTo(before);
      signals.fire("renewed");
      bench.await(holder, JobStatus.SUCCEEDED);
      signals.fire("go");
      bench.await(other, JobStatus.SUCCEEDED);
    }
    assertThat(outcomes(holder)).containsExactly(AttemptOutcome.SUCCEEDED);
  }

  @Test
  void aHandlerWhoseLeaseCannotBeRenewedIsStoppedBeforeAnotherMayBegin() throws Exception {
    FaultyDataSource faulty = new FaultyDataSource(bench.home().dataSource());
    UUID id = enqueue("a");
    try (Running workers =
        JobBench.over(bench.home(), faulty)
            .start(
                JobBench.quick("w1").withLease(Duration.ofSeconds(2)).withReap(Duration.ofHours(1)),
                Map.of(
                    "a",
                    context -> {
                      context.onCancel(() -> signals.fire("told"));
                      signals.fire("running");
                      signals.await("told", Duration.ofSeconds(60));
                      assertThat(context.isCanceled()).isTrue();
                      return JobResult.success();
                    }))) {
      signals.await("running", JobBench.SOON);
      // From here on no connection is to be had.
      for (int i = 1; i < 2_000; i++) {
        faulty.on(Fault.connect(i)).fail(Fault.Moment.BEFORE);
      }
      for (int i = 1; i < 2_000; i++) {
        faulty.on(Fault.statement(i)).cut(Fault.Moment.BEFORE);
      }
      signals.await("told", JobBench.SOON);
      // Nobody else can have it yet: this process gives up first.
      assertThat(bench.get(id).status()).isEqualTo(JobStatus.LEASED);
      assertThat(outcomes(id)).isEmpty();
      faulty.reset();
    }
  }
}
