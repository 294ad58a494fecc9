package dev.waybill.internal.workflow;

import dev.waybill.job.JobResult;
import dev.waybill.workflow.Condition;
import dev.waybill.workflow.Dependency;
import dev.waybill.workflow.Step;
import dev.waybill.workflow.StepHandler;
import dev.waybill.workflow.StepStatus;
import dev.waybill.workflow.Workflow;
import java.sql.PreparedStatement;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Random;

/**
 * Random graphs whose ends are known beforehand: what a step does is in its payload, so how each of
 * them ends follows from the graph alone, whoever works on it and dies.
 */
final class KnownGraph {
  private static final int FAILS = 0;
  private static final int FAILS_ONCE = 1;

  /** Does what the payload says, and writes it down in the transaction of its success. */
  static final StepHandler HANDLER =
      step -> {
        int dice = Integer.parseInt(step.payload());
        if (dice == FAILS) {
          return JobResult.fail("known.failed", "as told");
        }
        if (dice == FAILS_ONCE && step.attempt() == 1) {
          return JobResult.retry("known.again", "as told");
        }
        return JobResult.success("{\"n\":" + dice + "}")
            .inTransaction(
                connection -> {
                  try (PreparedStatement insert =
                      connection.prepareStatement("insert into effect values (?, ?)")) {
                    insert.setString(1, step.workflow().toString());
                    insert.setString(2, step.step());
                    insert.executeUpdate();
                  }
                });
      };

  private KnownGraph() {}

  static Workflow random(Random random) {
    Workflow.Builder workflow = Workflow.of("known");
    int size = 3 + random.nextInt(5);
    for (int i = 0; i < size; i++) {
      workflow.step(step(random, i));
    }
    return workflow.build();
  }

  private static Step.Builder step(Random random, int before) {
    String key = "s" + before;
    Step.Builder step =
        random.nextInt(8) == 0
            ? Step.delay(key, Duration.ofMillis(1 + random.nextInt(10)))
            : Step.job(key, "t").maxAttempts(50).payload("" + random.nextInt(10));
    int edges = before == 0 ? 0 : random.nextInt(Math.min(3, before) + 1);
    random
        .ints(0, Math.max(1, before))
        .distinct()
        .limit(edges)
        .forEach(
            prerequisite -> {
              switch (random.nextInt(4)) {
                case 0 -> step.afterEnd("s" + prerequisite);
                case 1 -> step.after("s" + prerequisite, Condition.at("/n").isGreaterThan("4"));
                default -> step.after("s" + prerequisite);
              }
            });
    if (edges > 1 && random.nextBoolean()) {
      step.atLeast(1 + random.nextInt(edges));
    }
    return random.nextInt(5) == 0 ? step.mayFail() : step;
  }

  /** How each step ends. */
  static Map<String, StepStatus> ends(Workflow workflow) {
    Map<String, Step> steps = new LinkedHashMap<>();
    Map<String, StepStatus> ends = new LinkedHashMap<>();
    for (Step step : workflow.steps()) {
      steps.put(step.key(), step);
      long satisfied =
          step.after().stream()
              .filter(
                  edge ->
                      isSatisfied(
                          edge,
                          Objects.requireNonNull(steps.get(edge.step())),
                          Objects.requireNonNull(ends.get(edge.step()))))
              .count();
      ends.put(step.key(), satisfied < needed(step) ? StepStatus.SKIPPED : end(step));
    }
    return ends;
  }

  static int needed(Step step) {
    Integer atLeast = step.atLeast();
    return atLeast == null ? step.after().size() : atLeast;
  }

  private static StepStatus end(Step step) {
    return step.kind() == Step.Kind.JOB && dice(step) == FAILS
        ? StepStatus.FAILED
        : StepStatus.SUCCEEDED;
  }

  private static int dice(Step step) {
    return Integer.parseInt(step.payload());
  }

  /** Whether an edge is satisfied by such an end of its prerequisite. */
  static boolean isSatisfied(Dependency edge, Step prerequisite, StepStatus end) {
    if (edge.mode() == Dependency.Mode.ON_TERMINAL) {
      return end.isTerminal();
    }
    return end == StepStatus.SUCCEEDED
        && (edge.condition() == null
            || (prerequisite.kind() == Step.Kind.JOB && dice(prerequisite) > 4));
  }
}
