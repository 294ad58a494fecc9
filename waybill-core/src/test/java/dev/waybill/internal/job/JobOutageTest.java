package dev.waybill.internal.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.internal.job.JobBench.Running;
import dev.waybill.job.AttemptOutcome;
import dev.waybill.job.JobAttempt;
import dev.waybill.job.JobDefinition;
import dev.waybill.job.JobHandler;
import dev.waybill.job.JobRequest;
import dev.waybill.job.JobResult;
import dev.waybill.job.RetryPolicy;
import dev.waybill.job.Scope;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.NotOn;
import dev.waybill.testkit.TestDatabase;
import dev.waybill.testkit.TestServer;
import java.sql.PreparedStatement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The database server dies while jobs run, and comes back. */
@Tag("long")
@Tag("once")
@EveryDatabase
@NotOn(value = DatabaseProduct.SQLITE, why = "no server")
@Timeout(240)
class JobOutageTest {
  private static final int JOBS = 20;

  private final DatabaseProduct product;
  private final CountDownLatch running = new CountDownLatch(4);
  private final CountDownLatch go = new CountDownLatch(1);
  private final Set<UUID> first = ConcurrentHashMap.newKeySet();

  JobOutageTest(TestDatabase database) {
    this.product = database.product();
  }

  private JobHandler handler() {
    return context -> {
      if (running.getCount() > 0) {
        first.add(context.id());
      }
      running.countDown();
      go.await();
      return JobResult.success()
          .inTransaction(
              connection -> {
                try (PreparedStatement insert =
                    connection.prepareStatement("insert into effect values (?)")) {
                  insert.setString(1, context.id().toString());
                  insert.executeUpdate();
                }
              });
    };
  }

  @Test
  void whatEndedWithoutADatabaseIsSettledWhenItIsBack() throws Exception {
    try (TestServer server = TestServer.own(product)) {
      JobBench bench =
          JobBench.on(
              server.database(),
              JobDefinition.of("a")
                  .withMaxAttempts(50)
                  .withRetryPolicy(
                      RetryPolicy.standard()
                          .withBase(Duration.ofMillis(1))
                          .withCap(Duration.ofMillis(1))));
      bench.home().execute("create table effect (job varchar(36) not null)");
      List<UUID> ids = new ArrayList<>();
      for (int i = 0; i < JOBS; i++) {
        ids.add(bench.jobs().enqueue(JobRequest.of("a").build()).id());
      }
      try (Running workers = bench.start(JobBench.quick("w1"), Map.of("a", handler()))) {
        workers.jobs().wake();
        assertThat(running.await(10, TimeUnit.SECONDS)).isTrue();
        server.kill();
        go.countDown();
        server.start();
        bench.awaitNone("waybill_job where status <> 3", Duration.ofSeconds(60));
      }
      assertThat(bench.count("effect")).isEqualTo(JOBS);
      assertThat(bench.count("(select distinct job from effect) e")).isEqualTo(JOBS);
      for (UUID id : ids) {
        assertThat(bench.jobs().attempts(Scope.admin(), id))
            .extracting(JobAttempt::outcome)
            .last()
            .isEqualTo(AttemptOutcome.SUCCEEDED);
      }
      // Their leases lived, so what they did was not done again.
      assertThat(first).hasSize(4);
      for (UUID id : first) {
        assertThat(bench.jobs().attempts(Scope.admin(), id)).hasSize(1);
      }
    }
  }
}
