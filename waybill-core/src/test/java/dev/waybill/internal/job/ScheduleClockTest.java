package dev.waybill.internal.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.Migrated;
import dev.waybill.internal.loop.Next;
import dev.waybill.internal.loop.Time;
import dev.waybill.internal.store.ScheduleStore;
import dev.waybill.job.Enqueued;
import dev.waybill.job.JobDefinition;
import dev.waybill.job.JobFilter;
import dev.waybill.job.Schedule;
import dev.waybill.job.ScheduleFire;
import dev.waybill.job.ScheduleFire.Outcome;
import dev.waybill.job.ScheduleInfo;
import dev.waybill.job.Schedules;
import dev.waybill.job.Scope;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Each time fires once, also if clocks do not agree with each other or with themselves. */
@EveryDatabase
@Timeout(120)
class ScheduleClockTest {
  private static final Schedule HOURLY = Schedule.of("report", "a", "every PT1H");

  private final JobBench bench;
  private final Schedules schedules;

  ScheduleClockTest(TestDatabase database) {
    this.bench = JobBench.on(Migrated.on(database), JobDefinition.of("a"));
    this.schedules = bench.jobs().schedules();
  }

  private int fireAll() {
    Scheduler scheduler =
        new Scheduler(
            bench.database(),
            new JobEnqueuer(new JobIds(Time.system()), new JobNews(List.of())),
            JobBench.nobody(),
            new JobNews(List.of()));
    int fired = 0;
    while (scheduler.runOnce().equals(Next.now())) {
      fired++;
    }
    return fired;
  }

  private int jobs() {
    return bench.jobs().list(JobFilter.of(Scope.admin())).size();
  }

  @Test
  void aTimeThatComesAgainBecauseTheClockWasSetBackDoesNotFireAgainAndStopsNothing()
      throws Exception {
    schedules.put(HOURLY);
    bench.age(Duration.ofHours(1));
    assertThat(fireAll()).isEqualTo(1);
    Instant fired = schedules.fires("report", 1).get(0).scheduledFor();
    // As if the schedule had begun anew while the clock showed an earlier time.
    bench
        .database()
        .transact(
            tx -> {
              ScheduleStore.in(tx).fired("report", fired, fired, null);
              return true;
            });
    assertThat(fireAll()).isEqualTo(1);
    assertThat(jobs()).isEqualTo(1);
    ScheduleInfo after = schedules.find("report").orElseThrow();
    assertThat(after.failures()).isZero();
    assertThat(after.scheduledFor()).isAfter(fired);
    assertThat(schedules.fires("report", 10)).hasSize(1);
  }

  @Test
  void asManyTriggersAsThereWereAreAsManyJobs() {
    schedules.put(HOURLY);
    List<UUID> ids = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      ids.add(schedules.trigger("report").id());
    }
    assertThat(ids).doesNotHaveDuplicates();
    List<ScheduleFire> fires = schedules.fires("report", 100);
    assertThat(fires).hasSize(20).extracting(ScheduleFire::outcome).containsOnly(Outcome.TRIGGERED);
    // Never one of the rule's own times, which would count as fired then.
    assertThat(fires)
        .extracting(ScheduleFire::scheduledFor)
        .noneMatch(time -> time.equals(time.truncatedTo(ChronoUnit.SECONDS)));
  }

  @Test
  void aScheduleThatAWrongClockSentFarAheadBeginsAnewAfterAPause() throws Exception {
    schedules.put(HOURLY);
    bench.age(Duration.ofDays(-400));
    assertThat(fireAll()).isZero();
    schedules.setActive("report", false);
    schedules.setActive("report", true);
    assertThat(schedules.find("report").orElseThrow().nextFireAt())
        .isBefore(Instant.now().plus(Duration.ofHours(2)));
  }

  @Test
  void theJobOfATriggerCountsForNobodysOverlap() throws Exception {
    schedules.put(HOURLY.withOverlap(Schedule.Overlap.SKIP));
    Enqueued triggered = schedules.trigger("report");
    bench.age(Duration.ofHours(1));
    assertThat(fireAll()).isEqualTo(1);
    assertThat(jobs()).isEqualTo(2);
    assertThat(schedules.find("report").orElseThrow().lastJob()).isNotEqualTo(triggered.id());
    schedules.setActive("report", false);
    schedules.setActive("report", true);
    assertThat(Objects.requireNonNull(schedules.find("report").orElseThrow().lastJob()))
        .as("it is remembered over a pause")
        .isNotNull();
  }
}
