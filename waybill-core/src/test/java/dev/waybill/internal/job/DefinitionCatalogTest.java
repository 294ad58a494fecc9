package dev.waybill.internal.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.waybill.Migrated;
import dev.waybill.job.DefinitionSync;
import dev.waybill.job.JobDefinition;
import dev.waybill.job.JobException.ActiveScheduleExists;
import dev.waybill.job.JobException.DefinitionUnavailable;
import dev.waybill.job.JobException.InvalidArgument;
import dev.waybill.job.JobException.InvalidDefinition;
import dev.waybill.job.Jobs;
import dev.waybill.job.RetryPolicy;
import dev.waybill.job.Schedule;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@EveryDatabase
@Timeout(120)
class DefinitionCatalogTest {
  private static final JobDefinition A = JobDefinition.of("a");
  private static final JobDefinition B = JobDefinition.of("b");

  private final Jobs jobs;

  DefinitionCatalogTest(TestDatabase database) {
    this.jobs = JobBench.on(Migrated.on(database)).jobs();
  }

  private static DefinitionSync nothing() {
    return new DefinitionSync(List.of(), List.of(), List.of(), List.of());
  }

  @Test
  void definitionsAreStoredWithoutLossAndSyncingAgainChangesNothing() {
    JobDefinition all =
        A.withVersion(3)
            .withMaxAttempts(2)
            .withTimeout(Duration.ofMillis(1500))
            .withPriority(-7)
            .withMaxRunning(4)
            .withRate(10, Duration.ofSeconds(3))
            .withRetryPolicy(RetryPolicy.standard().withDelay("busy", Duration.ofMinutes(1)));
    assertThat(jobs.syncDefinitions(List.of(all, B)).inserted()).containsExactly("a", "b");
    assertThat(jobs.definitions()).containsExactly(all, B);
    assertThat(jobs.syncDefinitions(List.of(all, B))).isEqualTo(nothing());
    assertThat(jobs.syncDefinitions(List.of(A)).updated()).containsExactly("a");
    assertThat(jobs.definitions()).containsExactly(A, B);
  }

  @Test
  void anOperatorsDisablingSurvivesARestart() {
    jobs.syncDefinitions(List.of(A));
    jobs.setEnabled("a", false);
    DefinitionSync sync = jobs.syncDefinitions(List.of(A.withVersion(2)));
    assertThat(sync.keptDisabled()).containsExactly("a");
    assertThat(sync.updated()).containsExactly("a");
    assertThat(jobs.definitions()).containsExactly(A.withVersion(2).withEnabled(false));
  }

  @Test
  void aProgramMayDisableItsOwn() {
    jobs.syncDefinitions(List.of(A, B));
    assertThat(jobs.syncDefinitions(List.of(A.withEnabled(false))).disabled()).containsExactly("a");
    assertThat(jobs.definitions()).containsExactly(A.withEnabled(false), B);
  }

  @Test
  void anExactSyncRestoresAndDisablesWhatItOwns() {
    JobDefinition c = JobDefinition.of("c");
    jobs.syncDefinitions(List.of(A, B, c));
    jobs.setEnabled("a", false);
    DefinitionSync sync = jobs.syncDefinitionsExactly(List.of(A), Set.of("a", "b", "zzz"));
    assertThat(sync.disabled()).containsExactly("b");
    assertThat(sync.keptDisabled()).isEmpty();
    assertThat(jobs.definitions()).containsExactly(A, B.withEnabled(false), c);
    assertThat(jobs.syncDefinitionsExactly(List.of(A, B), Set.of("a", "b")).updated())
        .containsExactly("b");
    assertThat(jobs.definitions()).containsExactly(A, B, c);
  }

  @Test
  void anExactSyncMustSayWhatItOwns() {
    assertThatThrownBy(() -> jobs.syncDefinitionsExactly(List.of(), Set.of("a")))
        .isInstanceOf(InvalidArgument.class);
    assertThatThrownBy(() -> jobs.syncDefinitionsExactly(List.of(A), Set.of()))
        .isInstanceOf(InvalidArgument.class);
    assertThatThrownBy(() -> jobs.syncDefinitionsExactly(List.of(A, B), Set.of("a")))
        .isInstanceOf(InvalidArgument.class)
        .hasMessageContaining("[b]");
    assertThatThrownBy(() -> jobs.syncDefinitions(List.of(A, A)))
        .isInstanceOf(InvalidArgument.class)
        .hasMessageContaining("'a' is defined twice");
    assertThat(jobs.definitions()).isEmpty();
  }

  @Test
  void anExactSyncRefusesToDisableWhatAScheduleNeeds() {
    jobs.syncDefinitions(List.of(A, B));
    jobs.schedules().put(Schedule.of("nightly", "b", "@daily"));
    assertThatThrownBy(
            () -> jobs.syncDefinitionsExactly(List.of(A.withVersion(9)), Set.of("a", "b")))
        .isInstanceOf(ActiveScheduleExists.class);
    assertThat(jobs.definitions()).containsExactly(A, B);
  }

  @Test
  void programsThatStartTogetherAgree() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      List<Callable<DefinitionSync>> calls =
          List.of(
              () -> jobs.syncDefinitions(List.of(A, B)),
              () -> jobs.syncDefinitions(List.of(A, B)),
              () -> jobs.syncDefinitions(List.of(A, B)),
              () -> jobs.syncDefinitions(List.of(A, B)));
      int inserted = 0;
      for (Future<DefinitionSync> call : threads.invokeAll(calls)) {
        inserted += call.get().inserted().size();
      }
      assertThat(inserted).isEqualTo(2);
    } finally {
      threads.shutdownNow();
    }
    assertThat(jobs.definitions()).containsExactly(A, B);
  }

  @Test
  void whatMakesNoSenseIsRefusedBeforeTheDatabaseIsAsked() {
    assertThatThrownBy(() -> A.withMaxAttempts(0)).isInstanceOf(InvalidDefinition.class);
    assertThatThrownBy(() -> A.withVersion(0)).isInstanceOf(InvalidDefinition.class);
    assertThatThrownBy(() -> A.withTimeout(Duration.ZERO)).isInstanceOf(InvalidDefinition.class);
    assertThatThrownBy(() -> A.withPriority(2_000_000)).isInstanceOf(InvalidDefinition.class);
    assertThatThrownBy(() -> A.withMaxRunning(0)).isInstanceOf(InvalidDefinition.class);
    assertThatThrownBy(() -> A.withRate(0, Duration.ofSeconds(1)))
        .isInstanceOf(InvalidDefinition.class);
    assertThatThrownBy(() -> JobDefinition.of("")).isInstanceOf(InvalidDefinition.class);
    assertThatThrownBy(() -> JobDefinition.of("a b")).isInstanceOf(InvalidDefinition.class);
    assertThatThrownBy(() -> RetryPolicy.standard().withFactor(0.5))
        .isInstanceOf(InvalidDefinition.class);
    assertThatThrownBy(() -> RetryPolicy.standard().withDelay("x", Duration.ZERO))
        .isInstanceOf(InvalidDefinition.class);
    assertThatThrownBy(() -> jobs.setPaused("nope", true))
        .isInstanceOf(DefinitionUnavailable.class);
  }
}
