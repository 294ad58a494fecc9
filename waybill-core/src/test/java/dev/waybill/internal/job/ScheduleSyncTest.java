package dev.waybill.internal.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.waybill.Migrated;
import dev.waybill.Waybill;
import dev.waybill.job.JobDefinition;
import dev.waybill.job.JobException.DefinitionUnavailable;
import dev.waybill.job.JobException.InvalidArgument;
import dev.waybill.job.Schedule;
import dev.waybill.job.ScheduleInfo;
import dev.waybill.job.ScheduleSync;
import dev.waybill.job.Schedules;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.Fault;
import dev.waybill.testkit.FaultyDataSource;
import dev.waybill.testkit.Hold;
import dev.waybill.testkit.NotOn;
import dev.waybill.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The schedules of a program and those of the database. */
@EveryDatabase
@Timeout(120)
class ScheduleSyncTest {
  private static final Schedule REPORT = Schedule.of("report", "a", "every PT1H");
  private static final Schedule CLEANUP = Schedule.of("cleanup", "a", "@daily");
  private static final Set<String> OWNED = Set.of("report", "cleanup", "old");

  private final JobBench bench;
  private final Schedules schedules;

  ScheduleSyncTest(TestDatabase database) {
    this.bench = JobBench.on(Migrated.on(database), JobDefinition.of("a"), JobDefinition.of("b"));
    this.schedules = bench.jobs().schedules();
  }

  private boolean isActive(String name) {
    return schedules.find(name).orElseThrow().active();
  }

  @Test
  void whatIsThereAlreadyStaysAsItIs() {
    assertThat(schedules.sync(List.of(REPORT, CLEANUP)))
        .isEqualTo(new ScheduleSync(List.of("cleanup", "report"), List.of(), List.of()));
    ScheduleInfo before = schedules.find("report").orElseThrow();
    assertThat(schedules.sync(List.of(REPORT, CLEANUP)))
        .isEqualTo(new ScheduleSync(List.of(), List.of(), List.of()));
    assertThat(schedules.find("report")).contains(before);
    assertThat(schedules.sync(List.of(REPORT.withPayload("1"))))
        .isEqualTo(new ScheduleSync(List.of(), List.of("report"), List.of()));
    assertThat(schedules.find("report").orElseThrow().nextFireAt()).isEqualTo(before.nextFireAt());
    assertThat(isActive("cleanup")).isTrue();
    assertThat(schedules.sync(List.of()))
        .isEqualTo(new ScheduleSync(List.of(), List.of(), List.of()));
  }

  @Test
  void anOperatorsPauseSurvivesARestart() {
    schedules.sync(List.of(REPORT));
    schedules.setActive("report", false);
    schedules.sync(List.of(REPORT.withPayload("1")));
    schedules.syncExactly(List.of(REPORT), OWNED);
    assertThat(isActive("report")).isFalse();
  }

  @Test
  void whatAProgramNoLongerWantsIsPausedIfItOwnsIt() {
    schedules.sync(List.of(REPORT, CLEANUP, Schedule.of("old", "b", "@hourly")));
    schedules.put(Schedule.of("of-others", "b", "@hourly"));
    assertThat(schedules.syncExactly(List.of(REPORT), OWNED))
        .isEqualTo(new ScheduleSync(List.of(), List.of(), List.of("cleanup", "old")));
    assertThat(isActive("report")).isTrue();
    assertThat(isActive("cleanup")).isFalse();
    assertThat(isActive("of-others")).isTrue();
    assertThat(schedules.syncExactly(List.of(), OWNED).paused()).containsExactly("report");
    assertThat(schedules.syncExactly(List.of(), OWNED).paused()).isEmpty();
    // Nothing needs the type any more.
    schedules.setActive("of-others", false);
    bench.jobs().setEnabled("b", false);
  }

  @Test
  void allOrNone() {
    Schedule wrong = Schedule.of("wrong", "nope", "@daily");
    assertThatThrownBy(() -> schedules.sync(List.of(REPORT, wrong)))
        .isInstanceOf(DefinitionUnavailable.class)
        .hasMessageContaining("nope");
    assertThatThrownBy(() -> schedules.sync(List.of(REPORT, Schedule.of("bad", "a", "61 * * * *"))))
        .isInstanceOf(InvalidArgument.class)
        .hasMessageContaining("'bad'");
    assertThatThrownBy(() -> schedules.sync(List.of(REPORT, REPORT.withPayload("1"))))
        .isInstanceOf(InvalidArgument.class)
        .hasMessageContaining("'report'");
    assertThatThrownBy(() -> schedules.syncExactly(List.of(REPORT), Set.of()))
        .isInstanceOf(InvalidArgument.class);
    assertThatThrownBy(() -> schedules.syncExactly(List.of(REPORT), Set.of("cleanup")))
        .isInstanceOf(InvalidArgument.class)
        .hasMessageContaining("[report]");
    assertThat(schedules.list()).isEmpty();
  }

  @Test
  void programsThatStartTogetherAgree() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(4);
    int inserted = 0;
    try {
      List<Callable<ScheduleSync>> calls = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        calls.add(() -> schedules.sync(List.of(REPORT, CLEANUP)));
      }
      for (Future<ScheduleSync> call : threads.invokeAll(calls)) {
        inserted += call.get().inserted().size();
      }
    } finally {
      threads.shutdownNow();
    }
    assertThat(inserted).isEqualTo(2);
    assertThat(schedules.list()).hasSize(2);
  }

  @Test
  void aServiceSaysItsSchedulesWhereItSaysItsJobs() {
    for (int start = 0; start < 2; start++) {
      try (Waybill waybill =
          Waybill.builder(bench.home().pool(5))
              .jobs(
                  jobs ->
                      jobs.define(JobDefinition.of("c")).schedule(Schedule.of("s", "c", "@daily")))
              .start()) {
        assertThat(waybill.jobs().schedules().list()).hasSize(1);
      }
    }
  }

  @Test
  void aChangeOfJitterKeepsTheTime() {
    ScheduleInfo before = schedules.put(REPORT);
    ScheduleInfo after = schedules.put(REPORT.withJitter(Duration.ofMinutes(5)));
    assertThat(after.scheduledFor()).isEqualTo(before.scheduledFor());
    assertThat(after.nextFireAt())
        .isBetween(before.scheduledFor(), before.scheduledFor().plus(Duration.ofMinutes(5)));
  }

  /** As whoever puts one does; in another order the two could wait for each other. */
  @Test
  @NotOn(value = DatabaseProduct.SQLITE, why = "whoever writes holds the whole file")
  void whoResumesAScheduleLocksTheDefinitionsFirst() throws Exception {
    schedules.put(Schedule.of("one", "a", "@daily"));
    schedules.setActive("one", false);
    FaultyDataSource source = new FaultyDataSource(bench.home().dataSource());
    Schedules others = JobBench.over(bench.home(), source).jobs().schedules();
    Hold definitions =
        source
            .on(Fault.sql(sql -> sql.contains("job_definition") && sql.contains("for update")))
            .hold(Fault.Moment.BEFORE);
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try (Connection connection = bench.home().connect();
        Statement statement = connection.createStatement()) {
      Future<?> resuming = thread.submit(() -> others.setActive("one", true));
      definitions.awaitReached(JobBench.SOON);
      statement.execute(
          "select name from waybill_job_schedule where name = 'one' for update nowait");
      definitions.release();
      resuming.get(20, TimeUnit.SECONDS);
    } finally {
      definitions.release();
      thread.shutdownNow();
    }
    assertThat(schedules.find("one").orElseThrow().active()).isTrue();
  }
}
