package dev.waybill.internal.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.internal.sql.Statements;
import dev.waybill.job.Enqueued;
import dev.waybill.job.JobDefinition;
import dev.waybill.job.JobRequest;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The hot statements find what they need by an index, however much waits, will be due or is done.
 */
@Tag("once")
@EveryDatabase
@Timeout(300)
class JobPlanTest {
  private static final List<String> HOT =
      List.of(
          "job_heads",
          "job_tenants",
          "job_line",
          "job_claim_lock",
          "job_held",
          "job_lease",
          "job_stage",
          "job_next_due",
          "job_renew_lock",
          "job_watch",
          "job_settle_lock",
          "job_settle",
          "job_reap_lock",
          "job_present",
          "job_by_idempotency",
          "job_by_active",
          "job_get",
          "job_page",
          "job_place",
          "job_page_scheduled",
          "job_page_pending",
          "job_page_leased",
          "job_page_ended",
          "job_count",
          "job_purge_pick");

  private final JobBench bench;
  private UUID some = new UUID(0, 0);

  JobPlanTest(TestDatabase database) {
    this.bench = JobBench.on(database.fresh(), JobDefinition.of("a"), JobDefinition.of("b"));
  }

  private void fill() throws SQLException {
    try (Connection connection = bench.home().connect()) {
      connection.setAutoCommit(false);
      // PostgreSQL takes a set of unknown size for a hundred rows, for which a small table is read.
      int rounds = bench.home().product() == DatabaseProduct.POSTGRESQL ? 30 : 6;
      for (int round = 0; round < rounds; round++) {
        boolean later = round < 2;
        List<JobRequest> requests =
            IntStream.range(0, 2000)
                .mapToObj(
                    i ->
                        JobRequest.of(i % 2 == 0 ? "a" : "b")
                            .delay(later ? Duration.ofHours(1) : Duration.ZERO)
                            .priority(later ? 1000 : i % 10)
                            .build())
                .toList();
        List<Enqueued> all = bench.jobs().enqueueAll(connection, requests);
        some = all.get(0).id();
      }
      connection.commit();
    }
    // Alike: on PostgreSQL several share a row.
    bench.load(JobRequest.of("a").priority(-1).build(), 20_000);
    if (bench.home().product() == DatabaseProduct.POSTGRESQL) {
      bench
          .home()
          .execute(
              "update waybill_job_freight set status = 3, done = 65535, finished_at = 1"
                  + " where id::text > (select id::text from waybill_job_freight order by id offset 600 limit 1)");
    }
    bench
        .home()
        .execute(
            "update waybill_job set status = 3, finished_at = 1 where status = 1 and priority > 4");
    bench.claim("w", 50, Duration.ofMinutes(1), "a", "b");
    bench
        .home()
        .execute(
            switch (bench.home().product()) {
              case POSTGRESQL, SQLITE -> "analyze";
              case MYSQL, MARIADB -> "analyze table waybill_job";
            });
  }

  @Test
  void hotStatementsDoNotScan() throws SQLException {
    fill();
    for (String name : HOT) {
      assertThat(plan(name)).as(name).isNotEmpty().noneMatch(this::isScan);
    }
    Map<String, String> indexes =
        Map.ofEntries(
            Map.entry("job_page_scheduled", "waybill_job_scheduled_ix"),
            Map.entry("job_page_pending", "waybill_job_pending_ix"),
            Map.entry("job_page_leased", "waybill_job_leased_ix"),
            Map.entry("job_page_ended", "waybill_job_finished_ix"));
    for (Map.Entry<String, String> each : indexes.entrySet()) {
      assertThat(plan(each.getKey()))
          .as(each.getKey())
          .anyMatch(line -> line.contains(each.getValue()));
    }
  }

  private boolean isScan(String line) {
    return switch (bench.home().product()) {
      case POSTGRESQL -> line.matches(".*Seq Scan on (waybill_job|waybill_job_freight) .*");
      case SQLITE -> line.matches("SCAN (j|waybill_job)");
      case MYSQL, MARIADB -> line.matches("(j|waybill_job) ALL .*");
    };
  }

  private List<String> plan(String name) throws SQLException {
    List<String> lines = new ArrayList<>();
    try (Connection connection = bench.home().connect();
        Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(explain() + " " + literal(name))) {
      while (result.next()) {
        lines.add(
            switch (bench.home().product()) {
              case POSTGRESQL -> result.getString(1).strip() + " ";
              case SQLITE -> result.getString("detail");
              case MYSQL, MARIADB ->
                  result.getString("table")
                      + " "
                      + result.getString("type")
                      + " "
                      + result.getString("key");
            });
      }
    }
    return lines;
  }

  private String explain() {
    return switch (bench.home().product()) {
      case SQLITE -> "explain query plan";
      default -> "explain";
    };
  }

  /** The statement with values in place of its parameters. */
  private String literal(String name) {
    String folder =
        switch (bench.home().product()) {
          case POSTGRESQL -> "postgres";
          case MYSQL -> "mysql";
          case MARIADB -> "mariadb";
          case SQLITE -> "sqlite";
        };
    String text =
        Statements.blocks(Statements.resource("/dev/waybill/sql/" + folder + "/job.sql"))
            .getOrDefault(name, "")
            .replaceAll("(?m)^--.*$", "")
            .replaceAll(
                "\\{and ([jf]\\.(tenant|type|error_code|created_at) |:tenant|cast\\(:code)[^}]*}",
                "")
            .replaceAll("[{}]", "");
    Map<String, String> values =
        Map.ofEntries(
            Map.entry("types", "'[\"a\",\"b\"]'"),
            Map.entry("type", "'a'"),
            Map.entry("bound", "9000000000000000000"),
            Map.entry("limit", "10"),
            Map.entry("ids", "'[\"" + some + "\"]'"),
            Map.entry("id", id()),
            Map.entry("worker", "'w'"),
            Map.entry("ttl", "1000"),
            Map.entry("hashes", "'[\"x\"]'"),
            Map.entry("age", "1000"),
            Map.entry("tenant", "''"),
            Map.entry("status", "3"),
            Map.entry("since", "''"),
            Map.entry("after", id()),
            Map.entry("until", "9000000000000000"),
            Map.entry("from_due", "1"),
            Map.entry("from_type", "'a'"),
            Map.entry("from_tenant", "''"),
            Map.entry("from_turn", "1"),
            Map.entry("of_type", "'a'"),
            Map.entry("of_tenant", "''"),
            Map.entry("of_turn", "1"),
            Map.entry("of_after", id()),
            Map.entry(
                "batch",
                "'[{\"id\":\"%s\",\"run\":1,\"attempt\":1,\"worker\":\"w\",\"status\":2}]'"
                    .formatted(some)));
    return java.util.regex.Pattern.compile("(?<![:\\w]):([a-z_]+)")
        .matcher(text)
        .replaceAll(
            match ->
                java.util.regex.Matcher.quoteReplacement(
                    values.getOrDefault(match.group(1), match.group())));
  }

  private String id() {
    return switch (bench.home().product()) {
      case POSTGRESQL, SQLITE -> "'" + some + "'";
      case MYSQL, MARIADB -> "x'" + some.toString().replace("-", "") + "'";
    };
  }
}
