package dev.waybill.internal.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.Migrated;
import dev.waybill.job.Enqueued;
import dev.waybill.job.JobDefinition;
import dev.waybill.job.JobFilter;
import dev.waybill.job.JobInfo;
import dev.waybill.job.JobRequest;
import dev.waybill.job.JobStatus;
import dev.waybill.job.Scope;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Jobs by their status: each page goes on where the one before ended, in the order of the index.
 */
@EveryDatabase
@Timeout(120)
class JobListTest {
  private static final Scope ACME = Scope.tenant("acme");

  private final JobBench bench;

  JobListTest(TestDatabase database) {
    this.bench = JobBench.on(Migrated.on(database), JobDefinition.of("a"), JobDefinition.of("b"));
  }

  private List<JobInfo> all(JobFilter filter) {
    List<JobInfo> all = new ArrayList<>();
    List<JobInfo> page = bench.jobs().list(filter);
    while (!page.isEmpty()) {
      assertThat(page).hasSizeLessThanOrEqualTo(filter.limit());
      all.addAll(page);
      page = bench.jobs().list(filter.withAfter(all.get(all.size() - 1).id()));
    }
    assertThat(all).extracting(JobInfo::id).doesNotHaveDuplicates();
    return all;
  }

  private static JobFilter in(JobStatus status) {
    return JobFilter.of(Scope.admin()).withStatus(status).withLimit(3);
  }

  private List<UUID> enqueue(List<JobRequest> requests) {
    try (Connection connection = bench.home().connect()) {
      connection.setAutoCommit(false);
      List<Enqueued> enqueued = bench.jobs().enqueueAll(connection, requests);
      connection.commit();
      return enqueued.stream().map(Enqueued::id).toList();
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void scheduledJobsAreListedByWhenTheyAreDueAlsoIfManyAreDueAtOnce() {
    Instant due = Instant.now().plusSeconds(3600);
    List<JobRequest> requests =
        IntStream.range(0, 11)
            .mapToObj(
                i ->
                    JobRequest.of(i % 2 == 0 ? "a" : "b")
                        .scope(i % 3 == 0 ? ACME : Scope.global())
                        .dueAt(i == 10 ? due.minusSeconds(60) : due.plusSeconds(i / 7))
                        .build())
            .toList();
    List<UUID> ids = enqueue(requests);
    List<JobInfo> listed = all(in(JobStatus.SCHEDULED));
    assertThat(listed)
        .hasSize(11)
        .isSortedAccordingTo(Comparator.comparing(JobInfo::dueAt))
        .first()
        .satisfies(job -> assertThat(job.id()).isEqualTo(ids.get(10)));
    assertThat(all(in(JobStatus.SCHEDULED).withType("b"))).hasSize(5);
    assertThat(all(JobFilter.of(ACME).withStatus(JobStatus.SCHEDULED).withLimit(1))).hasSize(4);
  }

  @Test
  void aJobMayBeDueInAVeryLongTime() {
    Instant due = Instant.parse("9999-12-30T00:00:00.000001Z");
    List<UUID> ids = enqueue(List.of(JobRequest.of("a").dueAt(due).build()));
    assertThat(all(in(JobStatus.SCHEDULED).withCreated(null, due)))
        .singleElement()
        .satisfies(
            job -> {
              assertThat(job.id()).isEqualTo(ids.get(0));
              assertThat(job.dueAt()).isEqualTo(due);
            });
    assertThat(all(in(JobStatus.SCHEDULED).withCreated(Instant.MIN, Instant.MAX))).hasSize(1);
  }

  @Test
  void pendingJobsAreListedTypeByTypeInTheOrderOfTheirTurns() {
    List<JobRequest> requests =
        IntStream.range(0, 14)
            .mapToObj(
                i ->
                    JobRequest.of(i % 2 == 0 ? "a" : "b")
                        .scope(i % 3 == 0 ? ACME : Scope.global())
                        .priority(i % 4)
                        .build())
            .toList();
    enqueue(requests);
    List<JobInfo> listed = all(in(JobStatus.PENDING));
    assertThat(listed)
        .hasSize(14)
        .isSortedAccordingTo(
            Comparator.comparing(JobInfo::type)
                .thenComparing(job -> job.scope() instanceof Scope.Tenant)
                .thenComparing(Comparator.comparing(JobInfo::priority).reversed()));
    assertThat(all(in(JobStatus.PENDING).withType("b")))
        .isEqualTo(listed.stream().filter(job -> job.type().equals("b")).toList());
    assertThat(all(JobFilter.of(ACME).withStatus(JobStatus.PENDING).withType("a").withLimit(1)))
        .hasSize(3);
    assertThat(bench.jobs().list(in(JobStatus.PENDING).withAfter(new UUID(1, 1))))
        .as("nobody knows where that one stood")
        .isEmpty();
  }

  @Test
  void aPageGoesOnFromAJobThatWasClaimedMeanwhile() {
    enqueue(IntStream.range(0, 6).mapToObj(i -> JobRequest.of("a").build()).toList());
    List<JobInfo> first = bench.jobs().list(in(JobStatus.PENDING));
    UUID last = first.get(2).id();
    assertThat(bench.claim("w", 4, Duration.ofMinutes(1), "a")).hasSize(4);
    assertThat(bench.get(last).status()).isEqualTo(JobStatus.LEASED);
    assertThat(bench.jobs().list(in(JobStatus.PENDING).withAfter(last)))
        .hasSize(2)
        .doesNotContainAnyElementsOf(first);
  }

  @Test
  void jobsThatRunAreListedNewestFirst() {
    enqueue(IntStream.range(0, 9).mapToObj(i -> JobRequest.of("a").build()).toList());
    bench.claim("w", 5, Duration.ofMinutes(1), "a");
    bench.claim("v", 2, Duration.ofMinutes(2), "a");
    assertThat(all(in(JobStatus.LEASED)))
        .hasSize(7)
        .isSortedAccordingTo(
            Comparator.comparing(job -> job.id().toString(), Comparator.reverseOrder()));
    assertThat(bench.jobs().count("a", JobStatus.LEASED, 5)).isEqualTo(5);
    assertThat(bench.jobs().count("a", JobStatus.LEASED, 100)).isEqualTo(7);
    assertThat(bench.jobs().count("b", JobStatus.LEASED, 100)).isZero();
  }

  @Test
  void aStatusIsFoundBehindMoreThanAnybodyWouldLookThrough() {
    UUID old = enqueue(List.of(JobRequest.of("b").build())).get(0);
    bench.jobs().cancel(Scope.admin(), old, "long ago");
    UUID later = enqueue(List.of(JobRequest.of("b").delay(Duration.ofDays(1)).build())).get(0);
    for (int i = 0; i < 3; i++) {
      enqueue(IntStream.range(0, 1000).mapToObj(j -> JobRequest.of("a").build()).toList());
    }
    assertThat(all(in(JobStatus.CANCELED))).extracting(JobInfo::id).containsExactly(old);
    assertThat(all(in(JobStatus.SCHEDULED))).extracting(JobInfo::id).containsExactly(later);
    assertThat(bench.jobs().count("b", JobStatus.CANCELED, 10)).isEqualTo(1);
    assertThat(bench.jobs().count("b", JobStatus.SCHEDULED, 10)).isEqualTo(1);
    assertThat(bench.jobs().count("a", JobStatus.PENDING, 10_000)).isEqualTo(3000);
  }
}
