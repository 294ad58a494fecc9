package dev.waybill.internal.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.waybill.Migrated;
import dev.waybill.internal.loop.Next;
import dev.waybill.internal.loop.Time;
import dev.waybill.internal.store.ScheduleStore;
import dev.waybill.job.Enqueued;
import dev.waybill.job.JobDefinition;
import dev.waybill.job.JobException.ActiveScheduleExists;
import dev.waybill.job.JobException.DefinitionUnavailable;
import dev.waybill.job.JobException.InvalidArgument;
import dev.waybill.job.JobException.ScheduleNotFound;
import dev.waybill.job.JobFilter;
import dev.waybill.job.JobInfo;
import dev.waybill.job.Schedule;
import dev.waybill.job.Schedule.Misfire;
import dev.waybill.job.Schedule.Overlap;
import dev.waybill.job.ScheduleFire;
import dev.waybill.job.ScheduleFire.Outcome;
import dev.waybill.job.ScheduleInfo;
import dev.waybill.job.Schedules;
import dev.waybill.job.Scope;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@EveryDatabase
@Timeout(120)
class ScheduleTest {
  private static final Schedule HOURLY = Schedule.of("report", "a", "every PT1H");

  private final JobBench bench;
  private final Schedules schedules;

  ScheduleTest(TestDatabase database) {
    this.bench = JobBench.on(Migrated.on(database), JobDefinition.of("a"), JobDefinition.of("b"));
    this.schedules = bench.jobs().schedules();
  }

  private Scheduler scheduler() {
    return new Scheduler(
        bench.database(),
        new JobEnqueuer(new JobIds(Time.system()), new JobNews(List.of())),
        JobBench.nobody(),
        new JobNews(List.of()));
  }

  private int fireAll() {
    Scheduler scheduler = scheduler();
    int fired = 0;
    while (scheduler.runOnce().equals(Next.now())) {
      fired++;
    }
    return fired;
  }

  private List<JobInfo> jobs() {
    return bench.jobs().list(JobFilter.of(Scope.admin()));
  }

  @Test
  void onlyTheNewestTimesOfAScheduleAreRemembered() throws Exception {
    schedules.put(HOURLY);
    schedules.put(Schedule.of("other", "a", "every PT1H"));
    bench
        .database()
        .transact(
            tx -> {
              ScheduleStore store = ScheduleStore.in(tx);
              for (int i = 1; i <= Scheduler.KEPT + 5; i++) {
                store.fire("report", Instant.ofEpochSecond(i), Outcome.MISFIRED, null);
              }
              store.fire("other", Instant.ofEpochSecond(1), Outcome.MISFIRED, null);
              return true;
            });
    bench.age(Duration.ofHours(1));
    assertThat(fireAll()).isEqualTo(2);
    List<ScheduleFire> left = schedules.fires("report", 1_000);
    assertThat(left).hasSize(Scheduler.KEPT);
    assertThat(left).first().extracting(ScheduleFire::outcome).isEqualTo(Outcome.ENQUEUED);
    assertThat(left)
        .last()
        .extracting(ScheduleFire::scheduledFor)
        .isEqualTo(Instant.ofEpochSecond(7));
    assertThat(schedules.fires("other", 10)).hasSize(2);
  }

  @Test
  void aFireIsAJobARecordAndTheNextTime() throws Exception {
    ScheduleInfo made =
        schedules.put(HOURLY.withPayload("{\"x\":1}").withScope(Scope.tenant("acme")));
    assertThat(made.active()).isTrue();
    assertThat(made.nextFireAt()).isAfter(Instant.now().minusSeconds(5));
    assertThat(fireAll()).isZero();
    bench.age(Duration.ofHours(1));
    assertThat(fireAll()).isEqualTo(1);
    JobInfo job = jobs().get(0);
    assertThat(job.scope()).isEqualTo(Scope.tenant("acme"));
    assertThat(job.stage()).isEqualTo("scheduled");
    ScheduleInfo after = schedules.find("report").orElseThrow();
    assertThat(after.lastJob()).isEqualTo(job.id());
    assertThat(after.scheduledFor()).isAfter(Instant.now().minusSeconds(5));
    ScheduleFire fire = schedules.fires("report", 10).get(0);
    assertThat(fire.job()).isEqualTo(job.id());
    assertThat(fire.outcome()).isEqualTo(Outcome.ENQUEUED);
    assertThat(bench.jobs().body(Scope.admin(), job.id()).orElseThrow().payload())
        .isEqualTo(
            "{\"_schedule\":{\"name\":\"report\",\"scheduled_for\":\""
                + fire.scheduledFor()
                + "\"},\"x\":1}");
  }

  @Test
  void anyNumberOfProcessesFireOnce() throws Exception {
    schedules.put(HOURLY);
    schedules.put(Schedule.of("other", "b", "@hourly"));
    bench.age(Duration.ofHours(1));
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      List<Callable<Integer>> calls = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        calls.add(this::fireAll);
      }
      int fired = 0;
      for (Future<Integer> call : threads.invokeAll(calls)) {
        fired += call.get();
      }
      assertThat(fired).isEqualTo(2);
    } finally {
      threads.shutdownNow();
    }
    assertThat(jobs()).hasSize(2);
  }

  @Test
  void missedTimesBecomeOne() throws Exception {
    schedules.put(HOURLY);
    bench.age(Duration.ofHours(10));
    assertThat(fireAll()).isEqualTo(1);
    assertThat(jobs()).hasSize(1);
    assertThat(schedules.fires("report", 10).get(0).scheduledFor())
        .isAfter(Instant.now().minus(Duration.ofHours(1)).minusSeconds(5));
  }

  @Test
  void missedTimesAreAllMadeUpForWithinTheWindow() throws Exception {
    schedules.put(HOURLY.withMisfire(Misfire.ALL, Duration.ofHours(3)));
    bench.age(Duration.ofHours(10));
    fireAll();
    assertThat(jobs().size()).isBetween(3, 4);
    assertThat(schedules.fires("report", 10))
        .extracting(ScheduleFire::scheduledFor)
        .doesNotHaveDuplicates();
  }

  @Test
  void missedTimesAreLeftOut() throws Exception {
    schedules.put(HOURLY.withMisfire(Misfire.SKIP, Duration.ZERO));
    bench.age(Duration.ofHours(10));
    fireAll();
    assertThat(jobs()).isEmpty();
    assertThat(schedules.fires("report", 10))
        .extracting(ScheduleFire::outcome)
        .containsExactly(Outcome.MISFIRED);
    assertThat(schedules.find("report").orElseThrow().nextFireAt())
        .isAfter(Instant.now().minusSeconds(5));
  }

  @Test
  void aTimeIsLeftOutWhileTheJobBeforeIsNotDone() throws Exception {
    schedules.put(HOURLY.withOverlap(Overlap.SKIP));
    bench.age(Duration.ofHours(1));
    fireAll();
    anHourPasses();
    fireAll();
    assertThat(jobs()).hasSize(1);
    bench.jobs().cancel(Scope.admin(), jobs().get(0).id(), "done");
    anHourPasses();
    fireAll();
    assertThat(jobs()).hasSize(2);
    assertThat(schedules.fires("report", 10))
        .extracting(ScheduleFire::outcome)
        .containsExactlyInAnyOrder(Outcome.ENQUEUED, Outcome.OVERLAPPED, Outcome.ENQUEUED);
  }

  /** Also for what has been fired: otherwise it would be the same time once more. */
  private void anHourPasses() throws Exception {
    bench
        .home()
        .execute(
            "update waybill_job_fire set scheduled_for = scheduled_for - 86400000000",
            "update waybill_job set idempotency_hash = null");
    bench.age(Duration.ofHours(1));
  }

  @Test
  void oneThatCannotBeActedUponIsPutOffAndKeepsItsTime() throws Exception {
    ScheduleInfo made = schedules.put(HOURLY);
    schedules.put(Schedule.of("good", "b", "every PT1H"));
    bench.age(Duration.ofHours(1));
    // As an operator does who does not ask.
    bench
        .home()
        .execute(
            "update waybill_job_definition set enabled = "
                + (bench.home().product() == dev.waybill.testkit.DatabaseProduct.POSTGRESQL
                    ? "false"
                    : "0")
                + " where type = 'a'");
    fireAll();
    ScheduleInfo failed = schedules.find("report").orElseThrow();
    assertThat(failed.failures()).isEqualTo(1);
    assertThat(failed.lastError()).contains("'a' is not defined");
    assertThat(failed.scheduledFor()).isEqualTo(made.scheduledFor().minus(Duration.ofHours(1)));
    assertThat(failed.nextFireAt()).isAfter(Instant.now().plusSeconds(20));
    assertThat(jobs()).extracting(JobInfo::type).containsExactly("b");
    bench.jobs().setEnabled("a", true);
    bench.age(Duration.ofSeconds(40));
    fireAll();
    assertThat(jobs()).extracting(JobInfo::type).contains("a");
    assertThat(schedules.find("report").orElseThrow().failures()).isZero();
  }

  /** A program with newer time zones may have put it. */
  @Test
  void oneWhoseZoneThisProgramDoesNotKnowHoldsUpNoOther() throws Exception {
    schedules.put(HOURLY);
    bench.age(Duration.ofHours(1));
    schedules.put(Schedule.of("good", "b", "every PT1H"));
    bench.age(Duration.ofHours(1));
    bench
        .home()
        .execute("update waybill_job_schedule set zone = 'Mars/Olympus' where name = 'report'");
    fireAll();
    assertThat(jobs()).extracting(JobInfo::type).containsExactly("b");
    assertThat(bench.count("waybill_job_schedule where failures = 1 and name = 'report'"))
        .isEqualTo(1);
    assertThatThrownBy(() -> schedules.find("report"))
        .isInstanceOf(InvalidArgument.class)
        .hasMessageContainingAll("'report'", "'Mars/Olympus'");
    assertThat(schedules.remove("report")).isTrue();
    assertThat(schedules.list()).hasSize(1);
  }

  @Test
  void anUpdateKeepsTheNextTimeUnlessTheRuleChanges() {
    ScheduleInfo made = schedules.put(HOURLY);
    schedules.setActive("report", false);
    ScheduleInfo same = schedules.put(HOURLY.withPayload("[2]"));
    assertThat(same.active()).isFalse();
    assertThat(same.nextFireAt()).isEqualTo(made.nextFireAt());
    assertThat(schedules.find("report").orElseThrow().schedule().payload()).isEqualTo("[2]");
    ScheduleInfo changed = schedules.put(Schedule.of("report", "a", "@yearly"));
    assertThat(changed.nextFireAt()).isAfter(made.nextFireAt());
    assertThat(schedules.list()).hasSize(1);
    assertThat(schedules.remove("report")).isTrue();
    assertThat(schedules.remove("report")).isFalse();
    assertThatThrownBy(() -> schedules.setActive("report", true))
        .isInstanceOf(ScheduleNotFound.class);
  }

  @Test
  void aPausedOneDoesNotFireAndDoesNotCatchUp() throws Exception {
    schedules.put(HOURLY);
    schedules.setActive("report", false);
    bench.age(Duration.ofHours(5));
    assertThat(fireAll()).isZero();
    schedules.setActive("report", true);
    assertThat(fireAll()).isZero();
    Enqueued now = schedules.trigger("report");
    assertThat(jobs()).extracting(JobInfo::id).containsExactly(now.id());
    assertThat(schedules.fires("report", 1).get(0).outcome()).isEqualTo(Outcome.TRIGGERED);
  }

  @Test
  void aDefinitionThatAScheduleNeedsStaysEnabled() {
    schedules.put(HOURLY);
    assertThatThrownBy(() -> bench.jobs().setEnabled("a", false))
        .isInstanceOf(ActiveScheduleExists.class)
        .hasMessageContaining("[report]");
    assertThatThrownBy(
            () -> bench.jobs().syncDefinitions(List.of(JobDefinition.of("a").withEnabled(false))))
        .isInstanceOf(ActiveScheduleExists.class);
    schedules.setActive("report", false);
    bench.jobs().setEnabled("a", false);
    assertThatThrownBy(() -> schedules.setActive("report", true))
        .isInstanceOf(DefinitionUnavailable.class);
    assertThatThrownBy(() -> schedules.put(Schedule.of("x", "nope", "@daily")))
        .isInstanceOf(DefinitionUnavailable.class);
  }

  @Test
  void jitterIsBoundedAndAlwaysTheSame() {
    Schedule schedule = HOURLY.withJitter(Duration.ofMinutes(10));
    ScheduleCursor cursor = new ScheduleCursor(schedule);
    List<Duration> delays = new ArrayList<>();
    for (Instant time : schedules.preview(schedule, Instant.EPOCH, 50)) {
      delays.add(Duration.between(time, cursor.fireAt(time)));
      assertThat(cursor.fireAt(time)).isEqualTo(new ScheduleCursor(schedule).fireAt(time));
    }
    assertThat(delays).allMatch(d -> !d.isNegative() && d.compareTo(Duration.ofMinutes(10)) <= 0);
    assertThat(delays.stream().distinct().count()).isGreaterThan(40);
  }

  @Test
  void whatCannotBeFollowedIsRefusedBeforeTheDatabaseIsAsked() {
    assertThatThrownBy(() -> schedules.put(Schedule.of("x", "a", "every 5 minutes")))
        .isInstanceOf(InvalidArgument.class)
        .hasMessageContaining("PT15M");
    assertThatThrownBy(() -> schedules.put(Schedule.of("x", "a", "61 * * * *")))
        .isInstanceOf(InvalidArgument.class)
        .hasMessageContaining("its minute has a part that means nothing: 61");
    assertThatThrownBy(() -> schedules.put(HOURLY.withPayload("{")))
        .isInstanceOf(InvalidArgument.class);
    assertThatThrownBy(() -> Schedule.of(" x", "a", "@daily")).isInstanceOf(InvalidArgument.class);
    assertThatThrownBy(() -> HOURLY.withJitter(Duration.ofDays(2)))
        .isInstanceOf(InvalidArgument.class);
    assertThat(
            schedules.preview(
                Schedule.of("x", "a", "30 2 * * *").withZone(ZoneId.of("Europe/Berlin")),
                Instant.parse("2030-03-30T12:00:00Z"),
                2))
        .containsExactly(
            Instant.parse("2030-03-31T01:00:00Z"), Instant.parse("2030-04-01T00:30:00Z"));
  }
}
