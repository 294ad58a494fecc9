package dev.waybill.internal.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.Migrated;
import dev.waybill.internal.job.JobBench.Running;
import dev.waybill.job.AttemptOutcome;
import dev.waybill.job.JobDefinition;
import dev.waybill.job.JobHandler;
import dev.waybill.job.JobRequest;
import dev.waybill.job.JobResult;
import dev.waybill.job.JobStatus;
import dev.waybill.job.RetryPolicy;
import dev.waybill.job.Scope;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.Fault;
import dev.waybill.testkit.Fault.Moment;
import dev.waybill.testkit.FaultyDataSource;
import dev.waybill.testkit.NotOn;
import dev.waybill.testkit.TestDatabase;
import java.sql.PreparedStatement;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Each statement and commit of working processes fails or loses its connection, before and after it
 * took effect. No job is lost, and what a handler writes with its completion is written once.
 */
@Tag("long")
@Tag("once")
@EveryDatabase
@Timeout(600)
class JobCrashTest {
  private static final int STATEMENTS = 24;

  private final JobBench bench;
  private final FaultyDataSource faulty;
  private final JobBench shaky;

  JobCrashTest(TestDatabase database) throws Exception {
    this.bench =
        JobBench.on(
            Migrated.on(database),
            JobDefinition.of("a")
                .withMaxAttempts(50)
                .withRetryPolicy(
                    RetryPolicy.standard()
                        .withBase(Duration.ofMillis(1))
                        .withCap(Duration.ofMillis(1))));
    bench.home().execute("create table effect (job varchar(36) not null, run integer not null)");
    this.faulty = new FaultyDataSource(bench.home().dataSource());
    this.shaky = JobBench.over(bench.home(), faulty);
  }

  private static final JobHandler HANDLER =
      context ->
          JobResult.success()
              .inTransaction(
                  connection -> {
                    try (PreparedStatement insert =
                        connection.prepareStatement("insert into effect values (?, ?)")) {
                      insert.setString(1, context.id().toString());
                      insert.setInt(2, context.run());
                      insert.executeUpdate();
                    }
                  });

  @Test
  void everyStatementFails() throws Exception {
    disturb(STATEMENTS, Fault::statement, false, Moment.BEFORE);
  }

  @Test
  void theConnectionIsLostAfterEveryStatement() throws Exception {
    disturb(STATEMENTS, Fault::statement, true, Moment.AFTER);
  }

  @Test
  @NotOn(value = DatabaseProduct.SQLITE, why = "its commits are statements and fail with those")
  void theConnectionIsLostAroundEveryCommit() throws Exception {
    disturb(12, Fault::commit, true, Moment.BEFORE);
    disturb(12, Fault::commit, true, Moment.AFTER);
  }

  private void disturb(int last, IntFunction<Fault> fault, boolean cut, Moment moment)
      throws Exception {
    long before = bench.count("effect");
    try (Running workers =
        shaky.start(JobBench.quick("w1").withLease(Duration.ofSeconds(3)), Map.of("a", HANDLER))) {
      for (int n = 1; n <= last; n++) {
        var injection = faulty.on(fault.apply(n));
        if (cut) {
          injection.cut(moment);
        } else {
          injection.fail(moment);
        }
        UUID id = bench.jobs().enqueue(JobRequest.of("a").build()).id();
        bench.await(id, JobStatus.SUCCEEDED);
        assertThat(bench.jobs().attempts(Scope.admin(), id))
            .last()
            .satisfies(
                attempt -> assertThat(attempt.outcome()).isEqualTo(AttemptOutcome.SUCCEEDED));
        faulty.reset();
      }
      workers.jobs().wake();
    }
    assertThat(bench.count("effect") - before).isEqualTo(last);
    assertThat(bench.count("(select distinct job from effect) e")).isEqualTo(before + last);
  }
}
