package dev.waybill.internal.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.waybill.Migrated;
import dev.waybill.TransactionRequiredException;
import dev.waybill.job.Enqueued;
import dev.waybill.job.Enqueued.Outcome;
import dev.waybill.job.JobDefinition;
import dev.waybill.job.JobException;
import dev.waybill.job.JobException.DefinitionUnavailable;
import dev.waybill.job.JobException.InvalidRequest;
import dev.waybill.job.JobInfo;
import dev.waybill.job.JobRequest;
import dev.waybill.job.JobStatus;
import dev.waybill.job.Scope;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.FaultyDataSource;
import dev.waybill.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@EveryDatabase
@Timeout(120)
class JobEnqueueTest {
  private final JobBench bench;

  JobEnqueueTest(TestDatabase database) {
    this.bench =
        JobBench.on(
            Migrated.on(database),
            JobDefinition.of("mail")
                .withMaxAttempts(5)
                .withTimeout(Duration.ofSeconds(7))
                .withPriority(42),
            JobDefinition.of("off").withEnabled(false));
  }

  private Connection transaction() throws SQLException {
    Connection connection = bench.home().connect();
    connection.setAutoCommit(false);
    return connection;
  }

  @Test
  void whatTheRequestLeavesOpenComesFromTheDefinition() {
    Enqueued job = bench.jobs().enqueue(JobRequest.of("mail").build());
    assertThat(job.outcome()).isEqualTo(Outcome.INSERTED);
    assertThat(job.status()).isEqualTo(JobStatus.PENDING);
    JobInfo stored = bench.get(job.id());
    assertThat(stored.maxAttempts()).isEqualTo(5);
    assertThat(stored.timeout()).isEqualTo(Duration.ofSeconds(7));
    assertThat(stored.priority()).isEqualTo(42);
    assertThat(stored.run()).isEqualTo(1);
    assertThat(stored.attempt()).isZero();
    assertThat(stored.stage()).isEqualTo("queued");
    assertThat(stored.dueAt()).isEqualTo(stored.createdAt());
    assertThat(stored.scope()).isEqualTo(Scope.global());
  }

  @Test
  void whatTheRequestSaysIsKept() {
    Instant due = Instant.parse("2099-03-04T05:06:07.123456Z");
    Enqueued job =
        bench
            .jobs()
            .enqueue(
                JobRequest.of("mail")
                    .scope(Scope.tenant("Mandant Ü"))
                    .payload("[1, null, \"'\\\\\\u0041\"]")
                    .priority(-3)
                    .maxAttempts(1)
                    .timeout(Duration.ofMillis(1500))
                    .dueAt(due)
                    .stage("später")
                    .resourceKey("drucker/1")
                    .build());
    JobInfo stored = bench.get(job.id());
    assertThat(stored.status()).isEqualTo(JobStatus.SCHEDULED);
    assertThat(stored.dueAt()).isEqualTo(due);
    assertThat(stored.priority()).isEqualTo(-3);
    assertThat(stored.timeout()).isEqualTo(Duration.ofMillis(1500));
    assertThat(stored.scope()).isEqualTo(Scope.tenant("Mandant Ü"));
    assertThat(stored.stage()).isEqualTo("später");
    assertThat(stored.resourceKey()).isEqualTo("drucker/1");
    assertThat(bench.jobs().body(Scope.admin(), job.id()).orElseThrow().payload())
        .isEqualTo("[1, null, \"'\\\\\\u0041\"]");
  }

  @Test
  void jobsThatDifferInTheirPayloadsOnlyKeepThemAndWhatTheyShare() throws SQLException {
    List<String> payloads =
        List.of(
            "null",
            "\"NULL\"",
            "\"\"",
            "{\"a\":\"{,}'\\\\\\\"\"}",
            "[\"\\n\\u0001\", \"über 🚚\"]",
            "{}");
    try (Connection connection = transaction()) {
      List<Enqueued> all =
          bench
              .jobs()
              .enqueueAll(
                  connection,
                  payloads.stream()
                      .map(
                          payload ->
                              JobRequest.of("mail")
                                  .scope(Scope.tenant("t{1}"))
                                  .priority(7)
                                  .maxAttempts(2)
                                  .timeout(Duration.ofSeconds(3))
                                  .stage("a,b")
                                  .payload(payload)
                                  .build())
                      .toList());
      connection.commit();
      for (int i = 0; i < payloads.size(); i++) {
        JobInfo stored = bench.get(all.get(i).id());
        assertThat(bench.jobs().body(Scope.admin(), stored.id()).orElseThrow().payload())
            .isEqualTo(payloads.get(i));
        assertThat(stored.scope()).isEqualTo(Scope.tenant("t{1}"));
        assertThat(stored.priority()).isEqualTo(7);
        assertThat(stored.maxAttempts()).isEqualTo(2);
        assertThat(stored.timeout()).isEqualTo(Duration.ofSeconds(3));
        assertThat(stored.stage()).isEqualTo("a,b");
        assertThat(stored.dueAt()).isEqualTo(stored.createdAt());
      }
    }
  }

  @Test
  void aDelayCountsFromTheDatabasesClock() {
    Enqueued job = bench.jobs().enqueue(JobRequest.of("mail").delay(Duration.ofHours(1)).build());
    JobInfo stored = bench.get(job.id());
    assertThat(stored.status()).isEqualTo(JobStatus.SCHEDULED);
    assertThat(Duration.between(stored.createdAt(), stored.dueAt())).isEqualTo(Duration.ofHours(1));
  }

  @Test
  void itJoinsTheCallersTransaction() throws SQLException {
    try (Connection connection = transaction()) {
      bench.jobs().enqueue(connection, JobRequest.of("mail").build());
      connection.rollback();
      Enqueued job = bench.jobs().enqueue(connection, JobRequest.of("mail").build());
      assertThat(bench.jobs().find(Scope.admin(), job.id())).isEmpty();
      connection.commit();
      assertThat(bench.jobs().find(Scope.admin(), job.id())).isPresent();
    }
    assertThat(bench.count("waybill_job")).isEqualTo(1);
    try (Connection connection = bench.home().connect()) {
      assertThatThrownBy(() -> bench.jobs().enqueue(connection, JobRequest.of("mail").build()))
          .isInstanceOf(TransactionRequiredException.class);
    }
  }

  @Test
  void thousandsAreOneStatement() throws SQLException {
    FaultyDataSource watched = new FaultyDataSource(bench.home().dataSource());
    JobBench other = JobBench.over(bench.home(), watched);
    List<JobRequest> requests =
        IntStream.range(0, 3000)
            .mapToObj(i -> JobRequest.of("mail").payload("{\"n\":" + i + "}").build())
            .toList();
    try (Connection connection = watched.getConnection()) {
      connection.setAutoCommit(false);
      long before = watched.counts().statements();
      List<Enqueued> all = other.jobs().enqueueAll(connection, requests);
      assertThat(watched.counts().statements() - before).isEqualTo(1);
      connection.commit();
      connection.setAutoCommit(true);
      assertThat(all).hasSize(3000).extracting(Enqueued::id).doesNotHaveDuplicates();
      assertThat(bench.jobs().body(Scope.admin(), all.get(2999).id()).orElseThrow().payload())
          .isEqualTo("{\"n\":2999}");
    }
    assertThat(bench.count("waybill_job")).isEqualTo(3000);
  }

  @Test
  void aTypeMustBeDefinedAndEnabled() {
    assertThatThrownBy(() -> bench.jobs().enqueue(JobRequest.of("unknown").build()))
        .isInstanceOf(DefinitionUnavailable.class)
        .hasMessageContaining("'unknown'")
        .extracting(e -> ((JobException) e).code())
        .isEqualTo("job.definition_not_found_or_disabled");
    assertThatThrownBy(() -> bench.jobs().enqueue(JobRequest.of("off").build()))
        .isInstanceOf(DefinitionUnavailable.class);
  }

  @Test
  void aRefusedCallLeavesNothingEvenIfItsTransactionIsCommitted() throws SQLException {
    try (Connection connection = transaction()) {
      assertThatThrownBy(
              () ->
                  bench
                      .jobs()
                      .enqueueAll(
                          connection,
                          List.of(
                              JobRequest.of("mail").build(),
                              JobRequest.of("off").build(),
                              JobRequest.of("mail").idempotencyKey("k").build())))
          .isInstanceOf(DefinitionUnavailable.class);
      connection.commit();
    }
    assertThat(bench.count("waybill_job")).isZero();
  }

  @Test
  void aPayloadMustBeJson() {
    assertThatThrownBy(
            () -> bench.jobs().enqueue(JobRequest.of("mail").payload("{\"a\":}").build()))
        .isInstanceOf(InvalidRequest.class)
        .hasMessageContaining("payload of request 0 is not JSON: no value at character 5");
  }

  @Test
  void idsGrowWithTime() {
    Enqueued first = bench.jobs().enqueue(JobRequest.of("mail").build());
    Enqueued second = bench.jobs().enqueue(JobRequest.of("mail").build());
    assertThat(first.id().toString()).isLessThan(second.id().toString());
    assertThat(first.id().version()).isEqualTo(7);
    assertThat(first.id().variant()).isEqualTo(2);
  }
}
