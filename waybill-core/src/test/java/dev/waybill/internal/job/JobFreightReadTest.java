package dev.waybill.internal.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.Migrated;
import dev.waybill.internal.store.JobExpress;
import dev.waybill.internal.store.JobFreightStore;
import dev.waybill.internal.store.JobLeaseStore.Fence;
import dev.waybill.job.JobDefinition;
import dev.waybill.job.JobFilter;
import dev.waybill.job.JobInfo;
import dev.waybill.job.JobRequest;
import dev.waybill.job.JobStatus;
import dev.waybill.job.Scope;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.NotOn;
import dev.waybill.testkit.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Whoever reads jobs cannot tell which of them are in freights. */
@EveryDatabase
@NotOn(
    value = {DatabaseProduct.MYSQL, DatabaseProduct.MARIADB, DatabaseProduct.SQLITE},
    why = "each job is a row there")
@Timeout(120)
class JobFreightReadTest {
  private static final Duration LEASE = Duration.ofMinutes(1);

  private final JobBench bench;
  private final JobExpress express;
  private final List<UUID> ids = new ArrayList<>();

  JobFreightReadTest(TestDatabase database) {
    this.bench = JobBench.on(Migrated.on(database), JobDefinition.of("a"), JobDefinition.of("b"));
    this.express = JobExpress.of(bench.database()).orElseThrow();
  }

  private void load(JobRequest request, int jobs) throws SQLException {
    ids.addAll(bench.load(request, jobs));
  }

  private List<Fence> claim(int slots) {
    return express.claimFront(Set.of("a"), slots, "w", LEASE).orElseThrow().claims().stream()
        .map(claim -> JobBench.fence(claim, "w"))
        .toList();
  }

  /** In every state, beside rows, with turns and ends that they share with them. */
  private void fill() throws SQLException {
    load(JobRequest.of("a").priority(20).build(), 20);
    load(JobRequest.of("a").priority(20).build(), 3);
    List<Fence> ended = claim(32);
    assertThat(ended).hasSize(23);
    express.succeedAboard(ended.subList(0, 16));
    express.succeedAboard(ended.subList(16, 18));
    load(JobRequest.of("a").priority(10).build(), 16);
    List<Fence> running = claim(16);
    express.succeedAboard(List.of(running.get(1), running.get(7)));
    load(JobRequest.of("a").build(), 21);
    load(JobRequest.of("b").priority(3).build(), 9);
    load(JobRequest.of("a").build(), 2);
    load(JobRequest.of("b").scope(Scope.tenant("t")).build(), 9);
    load(JobRequest.of("a").delay(Duration.ofHours(1)).build(), 4);
    ids.add(bench.jobs().cancel(Scope.admin(), ids.remove(ids.size() - 1), "away").id());
    bench.home().execute("update waybill_job_freight set turn = 77 where status = 1");
    bench.home().execute("update waybill_job set turn = 77 where status = 1");
  }

  private static List<JobFilter> filters() {
    List<JobFilter> filters = new ArrayList<>();
    for (Scope scope : List.of(Scope.admin(), Scope.global(), Scope.tenant("t"))) {
      JobFilter all = JobFilter.of(scope);
      List<JobFilter> some = new ArrayList<>(List.of(all));
      for (JobStatus status : JobStatus.values()) {
        some.add(all.withStatus(status));
      }
      for (JobFilter each : some) {
        filters.add(each);
        filters.add(each.withType("a"));
        filters.add(each.withType("b"));
      }
    }
    filters.add(JobFilter.of(Scope.admin()).withErrorCode("none"));
    filters.add(JobFilter.of(Scope.admin()).withCreated(Instant.EPOCH, Instant.EPOCH));
    return filters;
  }

  /** Page by page; the same whatever a page holds. */
  private List<JobInfo> all(JobFilter filter, int page) {
    List<JobInfo> all = new ArrayList<>();
    List<JobInfo> some = bench.jobs().list(filter.withLimit(page));
    while (!some.isEmpty()) {
      all.addAll(some);
      some = bench.jobs().list(filter.withLimit(page).withAfter(all.get(all.size() - 1).id()));
    }
    return all;
  }

  private Map<String, Object> everything() {
    Map<String, Object> seen = new LinkedHashMap<>();
    for (UUID id : ids) {
      seen.put("find " + id, bench.jobs().find(Scope.admin(), id));
      seen.put("body " + id, bench.jobs().body(Scope.admin(), id));
      seen.put("attempts " + id, bench.jobs().attempts(Scope.admin(), id));
      seen.put("not a tenant's " + id, bench.jobs().find(Scope.tenant("t"), id));
    }
    for (JobFilter filter : filters()) {
      for (int page : List.of(1, 7, 1000)) {
        seen.put(filter + " by " + page, all(filter, page));
      }
    }
    for (String type : List.of("a", "b", "c")) {
      for (JobStatus status : JobStatus.values()) {
        seen.put("count " + type + status, bench.jobs().count(type, status, 1000));
        seen.put("some " + type + status, bench.jobs().count(type, status, 5));
      }
    }
    return seen;
  }

  @Test
  void rowsOfThemAreTheSame() throws SQLException {
    fill();
    assertThat(bench.count("waybill_job_freight")).isEqualTo(6);
    Map<String, Object> before = everything();
    assertThat(all(JobFilter.of(Scope.admin()), 1000)).hasSize(ids.size());
    assertThat(all(JobFilter.of(Scope.admin()).withStatus(JobStatus.SUCCEEDED), 3)).hasSize(20);
    bench
        .database()
        .transact(
            tx -> {
              JobFreightStore.in(tx).unload(ids);
              return true;
            });
    assertThat(bench.count("waybill_job_freight")).isZero();
    Map<String, Object> after = everything();
    before.forEach((what, seen) -> assertThat(after.get(what)).as(what).isEqualTo(seen));
  }
}
