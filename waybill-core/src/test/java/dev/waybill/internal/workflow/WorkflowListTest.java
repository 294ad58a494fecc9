package dev.waybill.internal.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.waybill.Migrated;
import dev.waybill.internal.workflow.WorkflowBench.Engine;
import dev.waybill.job.JobResult;
import dev.waybill.job.Scope;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.TestDatabase;
import dev.waybill.workflow.GateCompletion;
import dev.waybill.workflow.Step;
import dev.waybill.workflow.WaitingGate;
import dev.waybill.workflow.WorkflowException.InvalidArgument;
import dev.waybill.workflow.WorkflowFilter;
import dev.waybill.workflow.WorkflowInfo;
import dev.waybill.workflow.WorkflowStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Runs by their status and gates that wait: found by an index, page by page, however old. */
@EveryDatabase
@Timeout(120)
class WorkflowListTest {
  private static final Scope ALL = Scope.admin();

  private final WorkflowBench bench;

  WorkflowListTest(TestDatabase database) {
    this.bench = WorkflowBench.on(Migrated.on(database), "t");
  }

  private UUID gated() {
    return bench.start(WorkflowBench.of(Step.gate("gate"), Step.job("then", "t").after("gate")));
  }

  private UUID running() {
    return bench.start(WorkflowBench.of(Step.job("only", "t")));
  }

  private List<UUID> in(WorkflowStatus status) {
    WorkflowFilter filter = WorkflowFilter.in(ALL).withStatus(status).withLimit(2);
    List<UUID> all = new ArrayList<>();
    List<WorkflowInfo> page = bench.workflows().list(filter);
    while (!page.isEmpty()) {
      assertThat(page).hasSizeLessThanOrEqualTo(2).allMatch(run -> run.status() == status);
      page.forEach(run -> all.add(run.id()));
      page = bench.workflows().list(filter.withAfter(all.get(all.size() - 1)));
    }
    return all;
  }

  private List<WaitingGate> gates(Scope scope) {
    List<WaitingGate> all = new ArrayList<>();
    List<WaitingGate> page = bench.workflows().waitingGates(scope, null, 2);
    while (!page.isEmpty()) {
      all.addAll(page);
      page = bench.workflows().waitingGates(scope, all.get(all.size() - 1).position(), 2);
    }
    return all;
  }

  private List<UUID> waiting() {
    return gates(ALL).stream().map(WaitingGate::run).toList();
  }

  @Test
  void openRunsAreListedNewestFirstAndEndedOnesByTheirEnd() throws Exception {
    List<UUID> waiting = new ArrayList<>();
    List<UUID> running = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      waiting.add(0, gated());
      running.add(0, running());
    }
    assertThat(in(WorkflowStatus.WAITING)).isEqualTo(waiting);
    assertThat(in(WorkflowStatus.RUNNING)).isEqualTo(running);
    assertThat(in(WorkflowStatus.CANCELED)).isEmpty();
    List<UUID> ended = new ArrayList<>(running.subList(0, 3));
    Collections.shuffle(ended, new Random(7));
    for (UUID run : ended) {
      bench.workflows().cancel(ALL, run, "enough");
      bench.age(Duration.ofMinutes(1));
    }
    Collections.reverse(ended);
    assertThat(in(WorkflowStatus.CANCELED)).isEqualTo(ended);
    assertThat(in(WorkflowStatus.RUNNING)).isEqualTo(running.subList(3, 5));
    WorkflowFilter canceled = WorkflowFilter.in(ALL).withStatus(WorkflowStatus.CANCELED);
    assertThat(bench.workflows().list(canceled.withAfter(waiting.get(0))))
        .as("one that has not ended is none to go on from")
        .isEmpty();
    assertThat(bench.workflows().list(canceled.withType("nothing"))).isEmpty();
  }

  @Test
  void gatesThatWaitAreFoundTheLongestFirstBehindAnyNumberOfRuns() {
    UUID first = gated();
    UUID second =
        bench.start(
            WorkflowBench.of(
                Step.gate("one").deadline(Duration.ofHours(1)),
                Step.gate("two"),
                Step.job("beside", "t")));
    for (int i = 0; i < 150; i++) {
      running();
    }
    List<WaitingGate> gates = gates(ALL);
    assertThat(gates)
        .extracting(WaitingGate::run)
        .startsWith(first)
        .containsExactlyInAnyOrder(first, second, second);
    assertThat(gates).isSortedAccordingTo(Comparator.comparing(WaitingGate::since));
    assertThat(gates)
        .filteredOn(gate -> gate.step().equals("one"))
        .singleElement()
        .satisfies(
            gate -> {
              assertThat(gate.type()).isEqualTo("flow");
              assertThat(gate.scope()).isEqualTo(Scope.global());
              assertThat(gate.timerAt()).isEqualTo(gate.since().plus(Duration.ofHours(1)));
              assertThat(gate.id()).isEqualTo(bench.step(second, "one").id());
            });
    assertThat(gates(Scope.tenant("acme"))).isEmpty();
    assertThat(gates(Scope.global())).hasSize(3);
    assertThatThrownBy(() -> bench.workflows().waitingGates(ALL, null, 0))
        .isInstanceOf(InvalidArgument.class);
  }

  @Test
  void aGateIsListedFromItsReleaseToItsEndAndAgainAfterARetry() throws Exception {
    UUID run =
        bench.start(WorkflowBench.of(Step.job("before", "t"), Step.gate("gate").after("before")));
    assertThat(waiting()).as("blocked").isEmpty();
    try (Engine workers = bench.start("t", step -> JobResult.success())) {
      assertThat(workers).isNotNull();
      bench.await(run, WorkflowStatus.WAITING);
    }
    assertThat(waiting()).containsExactly(run);
    complete(run, GateCompletion.fail(Scope.global(), run, "gate", "no", "never"));
    assertThat(waiting()).as("failed").isEmpty();
    bench.workflows().retry(ALL, run, "think again");
    assertThat(waiting()).as("retried").containsExactly(run);
    complete(run, GateCompletion.succeed(Scope.global(), run, "gate"));
    assertThat(waiting()).as("succeeded").isEmpty();
    UUID other = gated();
    assertThat(waiting()).containsExactly(other);
    bench.workflows().cancel(ALL, other, "enough");
    assertThat(waiting()).as("canceled").isEmpty();
  }

  private void complete(UUID run, GateCompletion completion) {
    assertThat(bench.workflows().completeGate(completion))
        .isEqualTo(GateCompletion.Outcome.COMPLETED);
    assertThat(bench.get(run).status().isTerminal()).isTrue();
  }
}
