package dev.waybill.internal.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.internal.store.JobLeaseStore.Claim;
import dev.waybill.job.JobDefinition;
import dev.waybill.job.JobRequest;
import dev.waybill.job.Scope;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.TestDatabase;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** About a million jobs of one tenant, all due but a tenth of them. */
@Tag("once")
@EveryDatabase
@Timeout(400)
class JobBacklogTest {
  private static final Duration LEASE = Duration.ofMinutes(1);

  private final JobBench bench;

  JobBacklogTest(TestDatabase database) {
    this.bench =
        JobBench.on(
            database.fresh(),
            JobDefinition.of("a"),
            JobDefinition.of("b"),
            JobDefinition.of("few").withMaxRunning(4));
  }

  /** In each product's own words: one statement, and the same turn for many. */
  private void fill() throws Exception {
    String columns =
        "insert into waybill_job (id, type, tenant, status, turn, due_at, priority, run, attempt,"
            + " max_attempts, timeout_micros, stage, created_at, payload) ";
    String rest =
        ", case when n % 11 = 0 then 0 else 1 end, n / 1000, n / 1000, 0, 1, 0, 8, 1000000,"
            + " 'queued', 0, '{}' from ";
    String kind = "case when n % 10 = 0 then 'few' else 'a' end, 'big'";
    String thousand =
        "(with recursive c as (select 1 as n union all select n + 1 from c where n < 1000)"
            + " select n from c) ";
    String numbers =
        "(select (x.n - 1) * 1000 + y.n as n from " + thousand + "x, " + thousand + "y) s";
    bench
        .home()
        .execute(
            switch (bench.home().product()) {
              case POSTGRESQL ->
                  columns
                      + "select md5(cast(n as text))::uuid, "
                      + kind
                      + rest
                      + "generate_series(1, 1100000) n";
              case SQLITE ->
                  columns
                      + "select printf('%08x-0000-7000-8000-000000000000', n), "
                      + kind
                      + rest
                      + numbers;
              case MYSQL, MARIADB ->
                  columns
                      + "select unhex(md5(n)), "
                      + kind
                      + rest.replace("n / 1000", "n div 1000")
                      + numbers;
            },
            switch (bench.home().product()) {
              case POSTGRESQL, SQLITE -> "analyze";
              case MYSQL, MARIADB -> "analyze table waybill_job";
            });
  }

  @Test
  void aClaimReadsOnlyTheFront() throws Exception {
    fill();
    bench.jobs().enqueue(JobRequest.of("a").scope(Scope.tenant("small")).build());
    assertThat(bench.claim("w", 4, LEASE, "a", "b", "few"))
        .extracting(Claim::tenant)
        .contains("small");
    assertThat(quickestOf(List.of("a"))).isLessThan(Duration.ofMillis(40));
    bench.jobs().enqueue(JobRequest.of("b").scope(Scope.tenant("other")).build());
    assertThat(quickestOf(List.of("a", "b", "few"))).isLessThan(Duration.ofMillis(60));
  }

  /** To read a million entries takes every database longer, also on its best day. */
  private Duration quickestOf(List<String> types) {
    Duration best = Duration.ofDays(1);
    for (int i = 0; i < 20; i++) {
      long begin = System.nanoTime();
      bench.claim("w", 4, LEASE, types.toArray(String[]::new));
      Duration took = Duration.ofNanos(System.nanoTime() - begin);
      best = took.compareTo(best) < 0 ? took : best;
    }
    return best;
  }
}
