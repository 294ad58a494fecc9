package dev.waybill.internal.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.Migrated;
import dev.waybill.internal.store.JobExpress;
import dev.waybill.internal.store.JobExpress.Front;
import dev.waybill.internal.store.JobLeaseStore.Claim;
import dev.waybill.internal.store.JobLeaseStore.Fence;
import dev.waybill.job.Enqueued;
import dev.waybill.job.JobDefinition;
import dev.waybill.job.JobInfo;
import dev.waybill.job.JobRequest;
import dev.waybill.job.JobStatus;
import dev.waybill.job.Scope;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.NotOn;
import dev.waybill.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Rows of several jobs: what goes into them, and how they are claimed. */
@EveryDatabase
@NotOn(
    value = {DatabaseProduct.MYSQL, DatabaseProduct.MARIADB, DatabaseProduct.SQLITE},
    why = "each job is a row there")
@Timeout(120)
class JobFreightTest {
  private static final Duration LEASE = Duration.ofMinutes(1);
  private static final JobRequest A = JobRequest.of("a").build();

  private final JobBench bench;
  private final JobExpress express;

  JobFreightTest(TestDatabase database) {
    this.bench =
        JobBench.on(
            Migrated.on(database),
            JobDefinition.of("a"),
            JobDefinition.of("b"),
            JobDefinition.of("two").withMaxRunning(2));
    this.express = JobExpress.of(bench.database()).orElseThrow();
  }

  private long freights() throws SQLException {
    return bench.count("waybill_job_freight");
  }

  private long rows() throws SQLException {
    return bench.count("(select id from waybill_job) j");
  }

  private List<Claim> claim(int slots, String... types) {
    return express.claimFront(Set.of(types), slots, "w", LEASE).orElseThrow().claims();
  }

  private static List<Fence> fences(List<Claim> claims) {
    return claims.stream().map(claim -> JobBench.fence(claim, "w")).toList();
  }

  private static List<UUID> ids(List<Claim> claims) {
    return claims.stream().map(Claim::id).toList();
  }

  private List<UUID> succeed(List<Fence> fences) {
    return express.succeedAboard(fences).stream().map(lease -> lease.fence().id()).toList();
  }

  @Test
  void whatIsAlikeSharesRows() throws SQLException {
    List<JobRequest> requests =
        IntStream.range(0, 40)
            .mapToObj(i -> JobRequest.of("a").payload(" {\"n\": \"ä€𝄞" + i + "\"}\n").build())
            .toList();
    List<UUID> ids;
    try (Connection connection = bench.home().connect()) {
      connection.setAutoCommit(false);
      bench.jobs().enqueueAll(connection, requests);
      connection.rollback();
      assertThat(freights()).as("rolled back").isZero();
      ids = bench.jobs().enqueueAll(connection, requests).stream().map(Enqueued::id).toList();
      connection.commit();
    }
    assertThat(freights()).isEqualTo(3);
    assertThat(rows()).isZero();
    assertThat(ids).doesNotHaveDuplicates().isSorted();
    for (int i = 0; i < ids.size(); i++) {
      UUID id = ids.get(i);
      assertThat(bench.jobs().body(Scope.admin(), id).orElseThrow().payload())
          .isEqualTo(requests.get(i).payload());
      JobInfo job = bench.get(id);
      assertThat(job.status()).isEqualTo(JobStatus.PENDING);
      assertThat(job.stage()).isEqualTo("queued");
      assertThat(job.attempt()).isZero();
    }
    UUID beyond =
        new UUID(ids.get(39).getMostSignificantBits(), ids.get(39).getLeastSignificantBits() | 15);
    assertThat(bench.jobs().find(Scope.admin(), beyond)).as("behind the last").isEmpty();
    assertThat(claim(64, "a"))
        .extracting(Claim::payload)
        .containsExactlyElementsOf(requests.stream().map(JobRequest::payload).toList());
  }

  @Test
  void whatIsNotAlikeOrHasToBeWeighedHasRows() throws SQLException {
    bench.load(A, 7);
    bench.load(JobRequest.of("a").scope(Scope.tenant("t")).build(), 20);
    bench.load(JobRequest.of("two").build(), 20);
    bench.load(JobRequest.of("a").resourceKey("printer").build(), 20);
    bench.load(JobRequest.of("a").delay(Duration.ofHours(1)).build(), 20);
    bench.load(JobRequest.of("a").payload("\"" + "x".repeat(5_000) + "\"").build(), 20);
    assertThat(freights()).isZero();
    assertThat(rows()).isEqualTo(107);
  }

  @Test
  void aTypeThatGetsALimitWhileItsJobsAreLoadedHasRowsOfAll() throws SQLException {
    bench
        .home()
        .execute(
            "create function limited() returns trigger language plpgsql as"
                + " $$ begin update waybill_job_definition set max_running = 1; return null; end $$",
            "create trigger limited after insert on waybill_job_freight for each statement execute"
                + " function limited()");
    try {
      List<UUID> ids =
          bench.load(JobRequest.of("a").payload("\"" + "x".repeat(4_000) + "\"").build(), 1_600);
      assertThat(ids).hasSize(1_600).doesNotHaveDuplicates();
      assertThat(freights()).isZero();
      assertThat(rows()).isEqualTo(1_600);
    } finally {
      bench
          .home()
          .execute("drop trigger limited on waybill_job_freight", "drop function limited()");
    }
  }

  @Test
  void freightsAreTakenWholeInTheOrderOfTurnsAndNeverMoreThanFit() throws SQLException {
    UUID last = bench.jobs().enqueue(JobRequest.of("a").priority(1).build()).id();
    List<UUID> third = bench.load(JobRequest.of("a").priority(3).build(), 10);
    UUID second = bench.jobs().enqueue(JobRequest.of("b").priority(5).build()).id();
    List<UUID> first = bench.load(JobRequest.of("b").priority(9).build(), 20);
    assertThat(ids(claim(16, "a", "b"))).isEqualTo(first.subList(0, 16));
    assertThat(ids(claim(10, "a", "b"))).isEqualTo(plus(first.subList(16, 20), second));
    assertThat(ids(claim(100, "a", "b"))).isEqualTo(plus(third, last));
    assertThat(claim(100, "a", "b")).isEmpty();
  }

  private static List<UUID> plus(List<UUID> some, UUID one) {
    List<UUID> all = new ArrayList<>(some);
    all.add(one);
    return all;
  }

  @Test
  void aFreightThatComesFirstAndDoesNotFitIsSaidToAndTakenApart() throws SQLException {
    List<UUID> ids = bench.load(A, 16);
    bench.jobs().enqueue(JobRequest.of("a").priority(-5).build());
    Front front = express.claimFront(Set.of("a"), 4, "w", LEASE).orElseThrow();
    assertThat(front.stuck()).isTrue();
    assertThat(front.claims()).as("nobody is passed over").isEmpty();
    assertThat(front.drained()).isFalse();
    express.unloadFront(Set.of("a"), 4);
    assertThat(freights()).isZero();
    assertThat(ids(claim(4, "a"))).isEqualTo(ids.subList(0, 4));
  }

  @Test
  void ageingIsTheSameForFreightsAndRows() throws SQLException {
    List<UUID> old = bench.load(JobRequest.of("a").priority(0).build(), 8);
    bench.age(Duration.ofMinutes(10));
    UUID young = bench.jobs().enqueue(JobRequest.of("a").priority(9).build()).id();
    UUID urgent = bench.jobs().enqueue(JobRequest.of("a").priority(11).build()).id();
    assertThat(ids(claim(1, "a"))).containsExactly(urgent);
    assertThat(ids(claim(9, "a"))).isEqualTo(plus(old, young));
  }

  @Test
  void anythingToWeighMakesRowsOfTheFront() throws SQLException {
    List<UUID> ids = bench.load(A, 64);
    UUID tenants = bench.jobs().enqueue(JobRequest.of("a").scope(Scope.tenant("t")).build()).id();
    assertThat(express.claimFront(Set.of("a"), 8, "w", LEASE)).as("two tenants").isEmpty();
    List<Claim> claims = bench.claim("w", 8, LEASE, "a");
    assertThat(ids(claims)).hasSizeBetween(5, 8).contains(tenants).containsAnyElementsOf(ids);
    assertThat(freights()).as("as many as the claim could need").isEqualTo(3);
  }

  @Test
  void aLimitThatComesWhileFreightsWaitHolds() throws SQLException {
    bench.load(A, 64);
    List<Fence> running = fences(claim(16, "a"));
    bench.jobs().syncDefinitions(List.of(JobDefinition.of("a").withMaxRunning(20)));
    assertThat(express.claimFront(Set.of("a"), 8, "w", LEASE)).as("a limit").isEmpty();
    assertThat(bench.claim("w", 50, LEASE, "a")).as("beside those of a freight").hasSize(4);
    assertThat(succeed(running)).hasSize(16);
    assertThat(bench.claim("w", 50, LEASE, "a")).hasSize(16);
    assertThat(bench.claim("w", 50, LEASE, "a")).isEmpty();
  }

  @Test
  void pausedAndDisabledTypesStayWhereTheyAre() throws SQLException {
    bench.load(A, 16);
    bench.jobs().setPaused("a", true);
    assertThat(claim(16, "a")).isEmpty();
    assertThat(bench.claim("w", 16, LEASE, "a")).isEmpty();
    bench.jobs().setPaused("a", false);
    bench.jobs().setEnabled("a", false);
    assertThat(claim(16, "a")).isEmpty();
    bench.jobs().setEnabled("a", true);
    assertThat(freights()).isEqualTo(1);
    assertThat(claim(16, "a")).hasSize(16);
  }

  @Test
  void nobodyDepartsBeforeAFreightThatWaits() throws SQLException {
    bench.load(A, 8);
    assertThat(depart("b")).isEmpty();
    claim(20, "a", "b");
    assertThat(depart("b")).hasSize(1);
  }

  private List<UUID> depart(String type) {
    return bench
        .database()
        .transact(
            tx -> {
              UUID id =
                  new JobEnqueuer(
                          new JobIds(dev.waybill.internal.loop.Time.system()),
                          new JobNews(List.of()))
                      .enqueue(tx, List.of(JobRequest.of(type).build()))
                      .get(0)
                      .id();
              return express.depart(tx, id, List.of("a", "b"), "w", LEASE).stream()
                  .map(Claim::id)
                  .toList();
            });
  }

  @Test
  void twoWhoClaimAtOnceGetDifferentFreights() throws Exception {
    bench.load(A, 1600);
    List<UUID> all = new ArrayList<>();
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      List<CompletableFuture<List<UUID>>> claims =
          IntStream.range(0, 4)
              .mapToObj(i -> CompletableFuture.supplyAsync(() -> claimAll("w" + i), threads))
              .toList();
      for (CompletableFuture<List<UUID>> each : claims) {
        all.addAll(each.get());
      }
    } finally {
      threads.shutdown();
    }
    assertThat(all).hasSize(1600).doesNotHaveDuplicates();
  }

  private List<UUID> claimAll(String worker) {
    List<UUID> all = new ArrayList<>();
    boolean drained = false;
    while (!drained) {
      Front front = express.claimFront(Set.of("a"), 50, worker, LEASE).orElseThrow();
      all.addAll(ids(front.claims()));
      drained = front.claims().isEmpty();
    }
    return all;
  }
}
