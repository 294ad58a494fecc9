package dev.waybill.internal.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.Migrated;
import dev.waybill.internal.job.TenantRounds.Share;
import dev.waybill.internal.store.JobLeaseStore.Claim;
import dev.waybill.internal.store.JobLeaseStore.Waiting;
import dev.waybill.job.JobDefinition;
import dev.waybill.job.JobRequest;
import dev.waybill.job.Scope;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.FaultyDataSource;
import dev.waybill.testkit.TestDatabase;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Who has much to do does not keep others waiting. */
@EveryDatabase
@Timeout(120)
class JobFairnessTest {
  private static final Duration LEASE = Duration.ofMinutes(1);

  private final JobBench bench;

  JobFairnessTest(TestDatabase database) {
    this.bench =
        JobBench.on(
            Migrated.on(database),
            JobDefinition.of("a"),
            JobDefinition.of("b"),
            JobDefinition.of("two").withMaxRunning(2));
  }

  private void enqueue(int many, String type, Scope scope) throws Exception {
    List<JobRequest> requests = new ArrayList<>();
    for (int i = 0; i < many; i++) {
      requests.add(JobRequest.of(type).scope(scope).build());
    }
    try (Connection connection = bench.home().connect()) {
      connection.setAutoCommit(false);
      bench.jobs().enqueueAll(connection, requests);
      connection.commit();
    }
  }

  private Map<String, Long> claim(int slots, String... types) {
    return bench.claim("w", slots, LEASE, types).stream()
        .collect(Collectors.groupingBy(Claim::tenant, Collectors.counting()));
  }

  @Test
  void slotsAreShared() throws Exception {
    enqueue(40, "a", Scope.tenant("big"));
    bench.age(Duration.ofHours(1));
    enqueue(1, "a", Scope.tenant("small"));
    bench.age(Duration.ofSeconds(1));
    enqueue(9, "a", Scope.global());
    // What one leaves over goes to the next, by the turns of their first jobs.
    assertThat(claim(9, "a"))
        .containsOnly(Map.entry("big", 3L), Map.entry("small", 1L), Map.entry("", 5L));
    assertThat(claim(6, "a")).containsOnly(Map.entry("big", 3L), Map.entry("", 3L));
    assertThat(claim(6, "a")).containsOnly(Map.entry("big", 3L), Map.entry("", 1L));
    assertThat(claim(6, "a")).containsOnly(Map.entry("big", 6L));
  }

  @Test
  void oneSlotGoesRound() throws Exception {
    for (String tenant : List.of("x", "y", "z")) {
      enqueue(3, "a", Scope.tenant(tenant));
      enqueue(3, "b", Scope.tenant(tenant));
    }
    List<String> order = new ArrayList<>();
    for (int i = 0; i < 18; i++) {
      order.addAll(claim(1, "a", "b").keySet());
    }
    for (int round = 0; round < 18; round += 3) {
      assertThat(order.subList(round, round + 3)).containsExactlyInAnyOrder("x", "y", "z");
    }
  }

  @Test
  void aTenantsOwnJobsGoByTheirTurnsOverAllTypes() throws Exception {
    Scope mine = Scope.tenant("mine");
    enqueue(3, "a", Scope.tenant("other"));
    var low = bench.jobs().enqueue(JobRequest.of("a").scope(mine).priority(1).build()).id();
    var high = bench.jobs().enqueue(JobRequest.of("b").scope(mine).priority(9).build()).id();
    var middle = bench.jobs().enqueue(JobRequest.of("a").scope(mine).priority(5).build()).id();
    List<Claim> claims = bench.claim("w", 4, LEASE, "a", "b");
    assertThat(claims).extracting(Claim::tenant).containsOnly("mine", "other");
    assertThat(claims)
        .filteredOn(claim -> claim.tenant().equals("mine"))
        .extracting(Claim::id)
        .containsExactly(high, middle);
    assertThat(bench.claim("w", 4, LEASE, "a", "b")).extracting(Claim::id).contains(low);
  }

  @Test
  void everyOneOfManyTenantsIsServedInAFewRounds() throws Exception {
    enqueue(200, "a", Scope.tenant("m"));
    for (int i = 0; i < 100; i++) {
      enqueue(1, "a", Scope.tenant("t" + i));
    }
    Set<String> seen = new HashSet<>();
    int claims = 0;
    while (seen.size() < 101) {
      seen.addAll(claim(8, "a").keySet());
      claims++;
      // Each claim serves up to eight; the tenant in the middle is among many of them.
      assertThat(claims).isLessThan(40);
    }
  }

  @Test
  void aTenantWhoseJobsMustWaitHoldsUpNobody() throws Exception {
    for (int i = 0; i < 12; i++) {
      Scope scope = Scope.tenant("t" + (10 + i));
      bench.jobs().enqueue(JobRequest.of("a").scope(scope).resourceKey("busy").build());
    }
    assertThat(claim(1, "a")).hasSize(1);
    enqueue(1, "a", Scope.tenant("z"));
    assertThat(claim(1, "a")).containsOnlyKeys("z");
  }

  @Test
  void aTypesLimitHoldsOverAllTenants() throws Exception {
    for (String tenant : List.of("x", "y", "z")) {
      enqueue(3, "two", Scope.tenant(tenant));
    }
    assertThat(claim(9, "two").values()).containsExactly(1L, 1L);
    assertThat(claim(9, "two")).isEmpty();
  }

  @Test
  void theNumberOfStatementsDoesNotDependOnTheNumberOfTenants() throws Exception {
    FaultyDataSource watched = new FaultyDataSource(bench.home().dataSource());
    JobBench other = JobBench.over(bench.home(), watched);
    List<Long> statements = new ArrayList<>();
    for (int tenants : List.of(9, 20, 60)) {
      for (int i = 0; i < tenants; i++) {
        enqueue(1, "a", Scope.tenant("t" + tenants + "-" + i));
      }
      long before = watched.counts().statements();
      assertThat(other.claim("w", 60, LEASE, "a")).hasSize(8);
      statements.add(watched.counts().statements() - before);
    }
    // The first also sets up its connection.
    assertThat(statements.get(2)).isEqualTo(statements.get(1));
  }

  @Test
  void whoHasLeastRunningIsFirst() {
    TenantRounds rounds = new TenantRounds();
    List<Waiting> waiting = List.of(new Waiting("a", 1), new Waiting("b", 2), new Waiting("c", 3));
    assertThat(rounds.shares(waiting, Map.of("a", 4, "b", 1), 4, 8))
        .containsExactly(new Share("c", 3), new Share("b", 1), new Share("a", 0));
    rounds.served("b");
    assertThat(rounds.shares(waiting, Map.of(), 2, 2))
        .containsExactly(new Share("a", 1), new Share("c", 1), new Share("b", 0));
  }
}
