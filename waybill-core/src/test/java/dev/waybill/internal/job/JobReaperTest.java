package dev.waybill.internal.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.Migrated;
import dev.waybill.internal.loop.Time;
import dev.waybill.internal.store.JobLeaseStore.Claim;
import dev.waybill.job.JobDefinition;
import dev.waybill.job.JobOptions;
import dev.waybill.job.JobRequest;
import dev.waybill.job.JobStatus;
import dev.waybill.job.RetryPolicy;
import dev.waybill.job.Scope;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.NotOn;
import dev.waybill.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Whatever somebody does to the row of one job, those of other dead workers are taken over. */
@EveryDatabase
@Timeout(120)
class JobReaperTest {
  private static final Duration LEASE = Duration.ofMinutes(1);

  private final JobBench bench;

  JobReaperTest(TestDatabase database) {
    this.bench = JobBench.on(Migrated.on(database), JobDefinition.of("a"));
  }

  private UUID claimed(JobRequest request) {
    UUID id = bench.jobs().enqueue(request).id();
    assertThat(bench.claim("w", 1, LEASE, "a")).extracting(Claim::id).containsExactly(id);
    return id;
  }

  private UUID claimed() {
    return claimed(JobRequest.of("a").build());
  }

  private void reap(StepEnds steps) {
    reap(bench, steps);
  }

  private static void reap(JobBench bench, StepEnds steps) {
    new JobReaper(
            bench.database(),
            JobOptions.of("r"),
            new RetryPolicies(Time.system()),
            new Verdict(() -> 0.5),
            steps,
            JobBench.nobody(),
            new JobNews(List.of()))
        .runOnce();
  }

  /** With a row held by somebody else all the while. */
  private void reapBeside(UUID held, StepEnds steps) throws Exception {
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try (Connection holder = bench.home().connect();
        Statement statement = holder.createStatement()) {
      holder.setAutoCommit(false);
      statement.execute("select id from waybill_job where id = " + literal(held) + " for update");
      thread.submit(() -> reap(steps)).get(20, TimeUnit.SECONDS);
      holder.rollback();
    } finally {
      thread.shutdownNow();
    }
  }

  private String literal(UUID id) {
    return switch (bench.home().product()) {
      case POSTGRESQL, SQLITE -> "'" + id + "'";
      case MYSQL, MARIADB -> "x'" + id.toString().replace("-", "") + "'";
    };
  }

  @Test
  @NotOn(value = DatabaseProduct.SQLITE, why = "whoever writes holds the whole file")
  void aCanceledJobThatSomebodyHoldsKeepsItsResourceAndHoldsUpNobody() throws Exception {
    UUID canceled = claimed(JobRequest.of("a").resourceKey("printer").build());
    bench.jobs().cancel(Scope.admin(), canceled, "enough");
    UUID expired = claimed();
    bench.age(LEASE.plusSeconds(1));
    reapBeside(canceled, StepEnds.NONE);
    assertThat(bench.get(expired).status()).isEqualTo(JobStatus.SCHEDULED);
    assertThat(bench.count("waybill_job where held_hash is not null")).isEqualTo(1);
    reap(StepEnds.NONE);
    assertThat(bench.count("waybill_job where held_hash is not null")).isZero();
  }

  @Test
  @NotOn(value = DatabaseProduct.SQLITE, why = "whoever writes holds the whole file")
  void aLiveJobThatHoldsItsRowAndItsResourceHoldsUpNobody() throws Exception {
    UUID expired = claimed();
    bench.age(LEASE.plusSeconds(1));
    UUID live = claimed(JobRequest.of("a").resourceKey("printer").build());
    reapBeside(live, StepEnds.NONE);
    assertThat(bench.get(expired).status()).isEqualTo(JobStatus.SCHEDULED);
  }

  @Test
  @NotOn(value = DatabaseProduct.SQLITE, why = "whoever writes holds the whole file")
  void aStepThatSomebodyHoldsComesLaterAndHoldsUpNobody() throws Exception {
    UUID held = claimed();
    UUID free = claimed();
    bench.home().execute("update waybill_job set workflow_id = id");
    bench.age(LEASE.plusSeconds(1));
    StepEnds steps =
        (tx, workflows, wait) ->
            new StepEnds.Held() {
              @Override
              public Set<UUID> runs() {
                return Set.copyOf(workflows);
              }

              @Override
              public void ended(List<StepEnds.End> ends) {}
            };
    reapBeside(held, steps);
    assertThat(bench.get(free).status()).isEqualTo(JobStatus.SCHEDULED);
    assertThat(bench.get(held).status()).isEqualTo(JobStatus.LEASED);
    reap(steps);
    assertThat(bench.get(held).status()).isEqualTo(JobStatus.SCHEDULED);
  }

  /** What was read a moment ago does not say that a type has no policy. */
  @Test
  void aTypeThatHasJustBeenDefinedIsRetriedByItsOwnPolicy() throws Exception {
    var policies = new RetryPolicies(Time.system());
    bench.database().transact(tx -> policies.of(tx, "a"));
    RetryPolicy own =
        RetryPolicy.standard().withCap(Duration.ofHours(7)).withBase(Duration.ofHours(7));
    bench.jobs().syncDefinitions(List.of(JobDefinition.of("late").withRetryPolicy(own)));
    assertThat(bench.database().transact(tx -> policies.of(tx, "late")).base())
        .isEqualTo(Duration.ofHours(7));
  }

  /** Nothing of ours does that, but a trigger or a check of the user's may. */
  @Test
  @NotOn(
      value = {DatabaseProduct.MYSQL, DatabaseProduct.MARIADB, DatabaseProduct.SQLITE},
      why = "the same code; a check that is not asked about old rows is easiest to add here")
  void aRowThatCannotEvenBePutAsideHoldsUpNobody() throws SQLException {
    JobBench own = JobBench.on(bench.home().fresh(), JobDefinition.of("a"));
    UUID stuck = own.jobs().enqueue(JobRequest.of("a").build()).id();
    UUID other = own.jobs().enqueue(JobRequest.of("a").build()).id();
    assertThat(own.claim("w", 2, LEASE, "a")).hasSize(2);
    own.age(LEASE.plusSeconds(1));
    own.home()
        .execute(
            "alter table waybill_job add constraint stuck check (id <> '"
                + stuck
                + "' or status = 2) not valid");
    reap(own, StepEnds.NONE);
    assertThat(own.get(stuck).status()).isEqualTo(JobStatus.LEASED);
    assertThat(own.get(other).status()).isEqualTo(JobStatus.SCHEDULED);
  }
}
