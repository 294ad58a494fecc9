package dev.waybill.internal.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.waybill.Migrated;
import dev.waybill.internal.store.JobLeaseStore;
import dev.waybill.internal.store.JobLeaseStore.Claim;
import dev.waybill.internal.store.JobLeaseStore.Fence;
import dev.waybill.job.Enqueued;
import dev.waybill.job.Enqueued.Outcome;
import dev.waybill.job.JobDefinition;
import dev.waybill.job.JobException.IdempotencyConflict;
import dev.waybill.job.JobException.RequestNotKept;
import dev.waybill.job.JobRequest;
import dev.waybill.job.JobStatus;
import dev.waybill.job.Scope;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.Fault;
import dev.waybill.testkit.FaultyDataSource;
import dev.waybill.testkit.Hold;
import dev.waybill.testkit.NotOn;
import dev.waybill.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@EveryDatabase
@Timeout(120)
class JobIdempotencyTest {
  private final JobBench bench;

  JobIdempotencyTest(TestDatabase database) {
    this.bench =
        JobBench.on(Migrated.on(database), JobDefinition.of("mail"), JobDefinition.of("fax"));
  }

  private static JobRequest.Builder keyed() {
    return JobRequest.of("mail").idempotencyKey("order-1").payload("{\"a\":1,\"b\":[2]}");
  }

  private Enqueued enqueue(JobRequest.Builder request) {
    return bench.jobs().enqueue(request.build());
  }

  @Test
  void anIdenticalRequestFindsTheFirstJob() throws Exception {
    Enqueued first = enqueue(keyed());
    Enqueued again = enqueue(keyed());
    assertThat(again).isEqualTo(new Enqueued(first.id(), JobStatus.PENDING, 1, Outcome.EXISTING));
    assertThat(bench.count("waybill_job")).isEqualTo(1);
    assertThat(bench.jobs().findByKey(Scope.global(), "mail", "order-1").orElseThrow().id())
        .isEqualTo(first.id());
  }

  @Test
  void jsonIsComparedByWhatItMeans() {
    Enqueued first = enqueue(keyed());
    Enqueued again = enqueue(keyed().payload(" {\"b\" : [2.0e0], \"\\u0061\" : 1.00}\n"));
    assertThat(again.id()).isEqualTo(first.id());
  }

  @Test
  void aDifferentRequestIsAConflictThatNamesTheFields() {
    Instant due = Instant.parse("2099-01-01T00:00:00Z");
    Enqueued first = enqueue(keyed());
    List<UnaryOperator<JobRequest.Builder>> changes =
        List.of(
            r -> r.payload("{\"a\":2,\"b\":[2]}"),
            r -> r.priority(1),
            r -> r.maxAttempts(1),
            r -> r.timeout(Duration.ofSeconds(1)),
            r -> r.dueAt(due),
            r -> r.stage("other"),
            r -> r.delay(Duration.ofSeconds(1)),
            r -> r.resourceKey("printer"));
    List<String> names =
        List.of(
            "payload",
            "priority",
            "max_attempts",
            "timeout_micros",
            "due_at",
            "stage",
            "delay_micros",
            "resource_key");
    for (int i = 0; i < changes.size(); i++) {
      String name = names.get(i);
      JobRequest request = changes.get(i).apply(keyed()).build();
      assertThatThrownBy(() -> bench.jobs().enqueue(request))
          .isInstanceOfSatisfying(
              IdempotencyConflict.class,
              e -> {
                assertThat(e.fields()).containsExactly(name);
                assertThat(e.existing()).isEqualTo(first.id());
                assertThat(e.code()).isEqualTo("job.idempotency_conflict");
                assertThat(e).message().doesNotContain("\"b\"");
              });
    }
  }

  @Test
  void aTimeIsComparedAsTheDatabaseStoresIt() {
    Instant due = Instant.parse("2099-01-01T00:00:00.123456789Z");
    assertThat(enqueue(keyed().dueAt(due)).outcome()).isEqualTo(Outcome.INSERTED);
    assertThat(enqueue(keyed().dueAt(due.plusNanos(100))).outcome()).isEqualTo(Outcome.EXISTING);
  }

  @Test
  void scopesAndTypesHaveTheirOwnKeys() {
    Set<Object> ids =
        Set.of(
            enqueue(keyed()).id(),
            enqueue(keyed().scope(Scope.tenant("a"))).id(),
            enqueue(keyed().scope(Scope.tenant("A"))).id(),
            enqueue(JobRequest.of("fax").idempotencyKey("order-1")).id());
    assertThat(ids).hasSize(4);
    assertThat(enqueue(keyed().idempotencyKey("ORDER-1")).outcome()).isEqualTo(Outcome.INSERTED);
  }

  @Test
  void theKeyOutlivesTheJobsLifeAndTheDefinition() throws Exception {
    Enqueued first = enqueue(keyed());
    bench.jobs().cancel(Scope.admin(), first.id(), "test");
    bench.jobs().setEnabled("mail", false);
    assertThat(enqueue(keyed()))
        .isEqualTo(new Enqueued(first.id(), JobStatus.CANCELED, 1, Outcome.EXISTING));
  }

  @Test
  void oneOfManyIdenticalRequestsMakesTheJob() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(6);
    try {
      List<Callable<Enqueued>> calls = new ArrayList<>();
      for (int i = 0; i < 6; i++) {
        calls.add(() -> enqueue(keyed()));
      }
      List<Enqueued> all = new ArrayList<>();
      for (Future<Enqueued> call : threads.invokeAll(calls)) {
        all.add(call.get());
      }
      assertThat(all.stream().map(Enqueued::id).collect(Collectors.toSet())).hasSize(1);
      assertThat(all).filteredOn(each -> each.outcome() == Outcome.INSERTED).hasSize(1);
    } finally {
      threads.shutdownNow();
    }
    assertThat(bench.count("waybill_job")).isEqualTo(1);
  }

  @Test
  @NotOn(value = DatabaseProduct.MYSQL, why = "it reads checks and enforces them from 8.0.16 on")
  void noKeyIsStoredWithoutItsRequest() {
    Enqueued first = enqueue(keyed());
    assertThatThrownBy(() -> bench.home().execute("update waybill_job set request = null"))
        .isInstanceOf(SQLException.class);
    assertThat(enqueue(keyed()).id()).isEqualTo(first.id());
  }

  @Test
  void aKeyWhoseRequestNobodyKeptIsRefused() throws Exception {
    JobBench own = JobBench.on(bench.home().fresh(), JobDefinition.of("mail"));
    Enqueued first = own.jobs().enqueue(keyed().build());
    // As no program of ours would do it.
    own.home()
        .execute(
            switch (own.home().product()) {
              case POSTGRESQL, MARIADB ->
                  "alter table waybill_job drop constraint waybill_job_request_ck";
              case SQLITE -> "pragma ignore_check_constraints = on";
              case MYSQL -> "select 1";
            },
            "update waybill_job set request = null");
    assertThatThrownBy(() -> own.jobs().enqueue(keyed().build()))
        .isInstanceOfSatisfying(
            RequestNotKept.class,
            e -> {
              assertThat(e.existing()).isEqualTo(first.id());
              assertThat(e.code()).isEqualTo("job.legacy_idempotency_snapshot_missing");
            });
    assertThat(own.count("waybill_job")).isEqualTo(1);
  }

  @Test
  void aCallMayContainTheSameRequestTwice() throws Exception {
    try (var connection = bench.home().connect()) {
      connection.setAutoCommit(false);
      List<Enqueued> all =
          bench
              .jobs()
              .enqueueAll(
                  connection,
                  List.of(keyed().build(), keyed().build(), JobRequest.of("mail").build()));
      connection.commit();
      assertThat(all.get(0).id()).isEqualTo(all.get(1).id());
      assertThat(all)
          .extracting(Enqueued::outcome)
          .containsExactlyInAnyOrder(Outcome.INSERTED, Outcome.EXISTING, Outcome.INSERTED);
    }
    assertThat(bench.count("waybill_job")).isEqualTo(2);
  }

  @Test
  void uniqueWhileActiveEndsWithTheJob() {
    JobRequest request = JobRequest.of("mail").uniqueWhileActive("sync-7").build();
    Enqueued first = bench.jobs().enqueue(request);
    assertThat(bench.jobs().enqueue(request).id()).isEqualTo(first.id());
    bench.jobs().cancel(Scope.admin(), first.id(), "done with it");
    Enqueued second = bench.jobs().enqueue(request);
    assertThat(second.outcome()).isEqualTo(Outcome.INSERTED);
    assertThat(second.id()).isNotEqualTo(first.id());
  }

  @Test
  void aWaitingJobTakesOverTheLaterPayload() {
    Enqueued first = enqueue(JobRequest.of("mail").replacePending("index").payload("1"));
    Enqueued second =
        enqueue(
            JobRequest.of("mail").replacePending("index").payload("2").delay(Duration.ofHours(1)));
    assertThat(second.id()).isEqualTo(first.id());
    assertThat(second.outcome()).isEqualTo(Outcome.REPLACED);
    assertThat(bench.jobs().body(Scope.admin(), first.id()).orElseThrow().payload()).isEqualTo("2");
    assertThat(bench.get(first.id()).status()).isEqualTo(JobStatus.SCHEDULED);
    enqueue(JobRequest.of("mail").replacePending("index").payload("3"));
    assertThat(bench.claim("w", 1, Duration.ofMinutes(1), "mail")).hasSize(1);
    Enqueued late = enqueue(JobRequest.of("mail").replacePending("index").payload("4"));
    assertThat(late.outcome()).isEqualTo(Outcome.EXISTING);
    assertThat(bench.jobs().body(Scope.admin(), first.id()).orElseThrow().payload()).isEqualTo("3");
  }

  /** However long the transaction stays open that was told of the job. */
  @Test
  @NotOn(
      value = {DatabaseProduct.MYSQL, DatabaseProduct.MARIADB, DatabaseProduct.SQLITE},
      why = "who must not miss the winner locks its row against every change there")
  void whoRepeatsTheKeyOfAJobHoldsUpNeitherItsClaimNorItsLeaseNorItsEnd() throws Exception {
    UUID waiting = enqueue(keyed()).id();
    try (Connection producer = bench.home().connect()) {
      producer.setAutoCommit(false);
      assertThat(bench.jobs().enqueue(producer, keyed().build()).id()).isEqualTo(waiting);
      assertThatItIsClaimedRenewedAndEnded();
      producer.rollback();
    }
    enqueue(JobRequest.of("mail").uniqueWhileActive("u"));
    Claim claim = bench.claim("w", 1, Duration.ofMinutes(1), "mail").get(0);
    try (Connection producer = bench.home().connect()) {
      producer.setAutoCommit(false);
      Enqueued same =
          bench.jobs().enqueue(producer, JobRequest.of("mail").uniqueWhileActive("u").build());
      assertThat(same.id()).isEqualTo(claim.id());
      assertThat(same.status()).isEqualTo(JobStatus.LEASED);
      assertThatItIsRenewedAndEnded(claim);
      producer.rollback();
    }
  }

  /** They may deadlock on MySQL and MariaDB, where both try again: see docs/concurrency.md. */
  @Test
  @NotOn(value = DatabaseProduct.SQLITE, why = "whoever writes holds the whole file")
  void whoeverEndsAJobAndWhoeverEnqueuesItsKeyMeanwhileBothGetThere() throws Exception {
    JobRequest.Builder unique = JobRequest.of("mail").uniqueWhileActive("u");
    UUID first = enqueue(unique).id();
    FaultyDataSource faulty = new FaultyDataSource(bench.home().dataSource());
    JobBench ending = JobBench.over(bench.home(), faulty);
    Hold locked = faulty.on(Fault.sql(sql -> sql.contains("status = 5"))).hold();
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try {
      Future<?> cancel =
          threads.submit(() -> ending.jobs().cancel(Scope.global(), first, "no more"));
      locked.awaitReached(Duration.ofSeconds(20));
      Future<Enqueued> again = threads.submit(() -> enqueue(unique));
      assertThatThrownBy(() -> again.get(300, TimeUnit.MILLISECONDS))
          .isInstanceOf(TimeoutException.class);
      locked.release();
      cancel.get(20, TimeUnit.SECONDS);
      assertThat(again.get(20, TimeUnit.SECONDS).outcome()).isNotEqualTo(Outcome.REPLACED);
    } finally {
      threads.shutdownNow();
    }
    assertThat(bench.get(first).status()).isEqualTo(JobStatus.CANCELED);
    assertThat(enqueue(unique).id()).isNotEqualTo(first);
  }

  private void assertThatItIsClaimedRenewedAndEnded() throws Exception {
    List<Claim> claims = bench.claim("w", 1, Duration.ofMinutes(1), "mail");
    assertThat(claims).hasSize(1);
    assertThatItIsRenewedAndEnded(claims.get(0));
  }

  private void assertThatItIsRenewedAndEnded(Claim claim) throws Exception {
    Fence fence = JobBench.fence(claim, "w");
    List<UUID> renewed =
        bench
            .database()
            .transact(tx -> JobLeaseStore.in(tx).renew(List.of(fence), Duration.ofMinutes(1)));
    assertThat(renewed).containsExactly(claim.id());
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try {
      Future<Integer> settled =
          thread.submit(
              () ->
                  bench
                      .database()
                      .transact(tx -> JobLeaseStore.in(tx).lockForSettling(List.of(fence)).size()));
      assertThat(settled.get(20, TimeUnit.SECONDS)).isEqualTo(1);
    } finally {
      thread.shutdownNow();
    }
  }
}
