package dev.waybill.workflow;

import dev.waybill.job.JobException.InvalidRequest;
import dev.waybill.job.JobRequest;
import dev.waybill.job.Scope;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Everything that is wrong with a graph, found in one go. */
final class Problems {
  private static final int LONGEST_QUOTED = 64;
  private static final int LONGEST_TOKEN = 512;

  /** Its elements have longer keys, which must fit, too. */
  private static final int LONGEST_MAP_KEY = 240;

  private static final Duration LONGEST = Duration.ofDays(36_500);

  private final List<Problem> found = new ArrayList<>();

  /** What is wrong with a workflow. */
  static Problems in(
      String type,
      Scope scope,
      @Nullable String idempotencyKey,
      @Nullable String activeKey,
      @Nullable String resultStep,
      Map<String, String> attributes,
      List<Step> steps) {
    Problems problems = new Problems();
    problems.name("workflow.invalid_type", "", "type", type);
    problems.option("", "scope", job -> job.scope(scope));
    if (idempotencyKey != null) {
      problems.option("", "idempotency_key", job -> job.idempotencyKey(idempotencyKey));
    }
    if (activeKey != null) {
      problems.option("", "active_key", job -> job.uniqueWhileActive(activeKey));
    }
    attributes.forEach(
        (name, value) -> {
          problems.name("workflow.invalid_attribute", "", "attribute", name);
          problems.option("", "attribute", job -> job.idempotencyKey(value));
        });
    problems.steps(steps);
    Set<String> keys = keys(steps);
    for (Step step : steps) {
      for (Dependency edge : step.after()) {
        if (!keys.contains(edge.step())) {
          problems.add(
              "workflow.invalid_dag_missing_dependency",
              step.key(),
              "waits for " + quoted(edge.step()) + ", which there is not");
        }
      }
    }
    if (resultStep != null && !keys.contains(resultStep)) {
      problems.add(
          "workflow.invalid_dag_result_step",
          "",
          "the result should come from " + quoted(resultStep) + ", which there is not");
    }
    return problems;
  }

  /** What is wrong with steps that are to be appended, as far as they themselves say. */
  static Problems inAppended(List<Step> steps) {
    Problems problems = new Problems();
    problems.steps(steps);
    return problems;
  }

  private static Set<String> keys(List<Step> steps) {
    Set<String> keys = new HashSet<>();
    steps.forEach(step -> keys.add(step.key()));
    return keys;
  }

  private void steps(List<Step> steps) {
    if (steps.isEmpty()) {
      add("workflow.invalid_dag_empty", "", "it has no steps");
    }
    int edges = steps.stream().mapToInt(step -> step.after().size()).sum();
    if (size(steps) > Workflow.MAX_STEPS || edges > Workflow.MAX_EDGES) {
      add(
          "workflow.too_large",
          "",
          size(steps)
              + " steps and "
              + edges
              + " edges are more than "
              + Workflow.MAX_STEPS
              + " and "
              + Workflow.MAX_EDGES);
      return;
    }
    Set<String> seen = new HashSet<>();
    for (Step step : steps) {
      if (!seen.add(step.key())) {
        add("workflow.invalid_dag_duplicate_step_key", step.key(), "is there twice");
      }
      step(step);
    }
    List<String> cycle = Cycle.in(steps);
    if (!cycle.isEmpty()) {
      add("workflow.invalid_dag_cycle", cycle.get(0), "waits for itself: " + path(cycle));
    }
  }

  private static String path(List<String> cycle) {
    return String.join(" → ", cycle.stream().map(Problems::quoted).toList());
  }

  private void step(Step step) {
    String key = step.key();
    name("workflow.invalid_step_key", key, "key", key);
    if (step.kind() == Step.Kind.JOB || step.kind() == Step.Kind.MAP) {
      job(step);
    } else {
      forbid(step, step.type() != null, "a job type");
      forbid(
          step,
          step.priority() != null || step.maxAttempts() != null || step.timeout() != null,
          "settings of a job");
      forbid(step, step.resourceKey() != null, "a resource");
    }
    switch (step.kind()) {
      case DELAY -> {
        if (step.delay() == null) {
          add("workflow.invalid_delay", key, "has no delay");
        }
      }
      case GATE, WORKFLOW -> forbid(step, step.delay() != null, "a delay");
      case JOB, MAP -> {}
    }
    Duration delay = step.delay();
    if (delay != null) {
      option(key, "delay", job -> job.delay(delay));
    }
    gate(step);
    map(step);
    workflow(step);
    edges(step);
  }

  private void map(Step step) {
    Step.Over over = step.over();
    if (step.kind() != Step.Kind.MAP) {
      forbid(step, over != null && step.kind() != Step.Kind.WORKFLOW, "something to map over");
      over(step, over);
      return;
    }
    forbid(step, !step.payload().equals("{}"), "a payload: each of its jobs gets an element");
    if (step.key().length() > LONGEST_MAP_KEY) {
      add(
          "workflow.invalid_step_key",
          step.key(),
          "is the key of a MAP and has more than " + LONGEST_MAP_KEY + " characters");
    }
    if (over == null) {
      add("workflow.invalid_map", step.key(), "does not say over which output it maps");
    }
    over(step, over);
  }

  private void over(Step step, Step.@Nullable Over over) {
    if (over == null) {
      return;
    }
    boolean pointer = over.pointer().isEmpty() || over.pointer().startsWith("/");
    if (!pointer || step.after().stream().noneMatch(edge -> edge.step().equals(over.step()))) {
      add(
          "workflow.invalid_map",
          step.key(),
          "begins with "
              + quoted(over.pointer())
              + " of "
              + quoted(over.step())
              + ": a pointer is empty or begins with /, and the step must be a prerequisite");
    }
  }

  private void workflow(Step step) {
    Workflow workflow = step.workflow();
    if (step.kind() != Step.Kind.WORKFLOW) {
      forbid(step, workflow != null, "a workflow");
      return;
    }
    forbid(step, !step.payload().equals("{}"), "a payload: what it runs has an input");
    if (workflow == null) {
      add("workflow.invalid_workflow", step.key(), "does not say which workflow it runs");
      return;
    }
    forbid(
        step,
        workflow.idempotencyKey() != null || workflow.activeKey() != null,
        "a workflow with keys: it runs once per run of this one");
    if (depth(workflow) >= Workflow.MAX_DEPTH) {
      add(
          "workflow.too_deep",
          step.key(),
          "has more than " + Workflow.MAX_DEPTH + " workflows in each other");
    }
  }

  /** How many workflows are in each other. */
  private static int depth(Workflow workflow) {
    int deepest = 0;
    for (Step step : workflow.steps()) {
      Workflow inner = step.workflow();
      deepest = inner == null ? deepest : Math.max(deepest, depth(inner));
    }
    return deepest + 1;
  }

  /** Those of workflows in it included. */
  private static int size(List<Step> steps) {
    int size = steps.size();
    for (Step step : steps) {
      Workflow inner = step.workflow();
      size += inner == null ? 0 : size(inner.steps());
    }
    return size;
  }

  private void job(Step step) {
    String key = step.key();
    name("workflow.invalid_job_type", key, "job type", String.valueOf(step.type()));
    Integer priority = step.priority();
    if (priority != null) {
      option(key, "priority", job -> job.priority(priority));
    }
    Integer attempts = step.maxAttempts();
    if (attempts != null) {
      option(key, "max_attempts", job -> job.maxAttempts(attempts));
    }
    Duration timeout = step.timeout();
    if (timeout != null) {
      option(key, "timeout", job -> job.timeout(timeout));
    }
    String resource = step.resourceKey();
    if (resource != null) {
      option(key, "resource_key", job -> job.resourceKey(resource));
    }
    option(key, "stage", job -> job.stage(step.stage()));
  }

  private void forbid(Step step, boolean has, String what) {
    if (has) {
      add(
          "workflow.invalid_step_settings",
          step.key(),
          "is a " + step.kind() + " and cannot have " + what);
    }
  }

  private void gate(Step step) {
    Step.Gate gate = step.gate();
    if (gate == null) {
      return;
    }
    forbid(step, step.kind() != Step.Kind.GATE, "a token, a deadline or a reminder");
    String token = gate.token();
    if (token != null && (token.isBlank() || token.length() > LONGEST_TOKEN)) {
      add("workflow.invalid_token", step.key(), "has a blank or overlong token");
    }
    positive(step, "deadline", gate.deadline());
    positive(step, "reminder", gate.remindAfter());
    String type = gate.remindType();
    if ((type == null) != (gate.remindAfter() == null)) {
      add("workflow.invalid_reminder", step.key(), "has a reminder without a time or a job type");
    }
    if (type != null) {
      name("workflow.invalid_job_type", step.key(), "reminder's job type", type);
    }
  }

  private void positive(Step step, String what, @Nullable Duration time) {
    if (time != null && (time.toMillis() < 1 || time.compareTo(LONGEST) > 0)) {
      add(
          "workflow.invalid_" + what,
          step.key(),
          "has a " + what + " of " + time + ", which is not between a millisecond and 100 years");
    }
  }

  private void edges(Step step) {
    Set<String> seen = new HashSet<>();
    for (Dependency edge : step.after()) {
      if (edge.step().equals(step.key())) {
        add("workflow.invalid_dag_self_dependency", step.key(), "waits for itself");
      } else if (!seen.add(edge.step())) {
        add(
            "workflow.invalid_dag_duplicate_dependency",
            step.key(),
            "waits for " + quoted(edge.step()) + " twice");
      }
      Condition condition = edge.condition();
      if (condition != null) {
        condition(step, edge, condition);
      }
    }
    Integer atLeast = step.atLeast();
    if (atLeast != null && (atLeast < 1 || atLeast > step.after().size())) {
      add(
          "workflow.invalid_join",
          step.key(),
          "needs " + atLeast + " of " + step.after().size() + " prerequisites");
    }
  }

  private void condition(Step step, Dependency edge, Condition condition) {
    boolean pointer = condition.pointer().isEmpty() || condition.pointer().startsWith("/");
    boolean compares =
        condition.test() != Condition.Test.PRESENT && condition.test() != Condition.Test.ABSENT;
    if (!pointer
        || compares != (condition.value() != null)
        || edge.mode() != Dependency.Mode.ON_SUCCESS) {
      add(
          "workflow.invalid_condition",
          step.key(),
          "has a condition on "
              + quoted(edge.step())
              + " that makes no sense: a pointer is empty or begins with /, only comparisons have"
              + " a value, and only successes have an output");
    }
  }

  /** Names of workflows, steps and types follow one rule, which a request for a job knows. */
  private void name(String code, String step, String what, String name) {
    try {
      JobRequest.of(name).build();
    } catch (InvalidRequest e) {
      add(
          code,
          step,
          "the "
              + what
              + " "
              + quoted(name)
              + " must have 1 to 255 of the characters A-Z a-z 0-9 . _ - : / and begin and end with"
              + " a letter or digit");
    }
  }

  /** What a job may have is what a request for a job accepts. */
  private void option(String step, String field, UnaryOperator<JobRequest.Builder> option) {
    try {
      option.apply(JobRequest.of("any")).build();
    } catch (InvalidRequest e) {
      add("workflow.invalid_" + field, step, field + " is refused: " + e.getMessage());
    }
  }

  private void add(String code, String step, String message) {
    found.add(new Problem(code, step, message));
  }

  void throwIfAny(String what) {
    if (!found.isEmpty()) {
      throw new WorkflowException.InvalidWorkflow(what, found);
    }
  }

  /** Short, and without what would break a log line. */
  static String quoted(String name) {
    StringBuilder text = new StringBuilder("'");
    name.chars()
        .limit(LONGEST_QUOTED)
        .forEach(
            c -> {
              if (c >= ' ' && c <= '~') {
                text.append((char) c);
              } else {
                text.append(String.format("\\u%04x", c));
              }
            });
    return text.append(name.length() > LONGEST_QUOTED ? "…'" : "'").toString();
  }
}
