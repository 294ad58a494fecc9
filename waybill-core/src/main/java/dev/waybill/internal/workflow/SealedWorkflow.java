package dev.waybill.internal.workflow;

import dev.waybill.internal.job.Json;
import dev.waybill.internal.store.WorkflowStore.Defaults;
import dev.waybill.workflow.Dependency;
import dev.waybill.workflow.Step;
import dev.waybill.workflow.Workflow;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A workflow that a step will start, as it is stored with the step: with the defaults of its job
 * types as they were when the step's own run started, and with digests in place of tokens. A
 * workflow in it is sealed in the same way, and is the payload of its step.
 */
record SealedWorkflow(
    String type,
    String input,
    @Nullable String resultStep,
    Map<String, String> attributes,
    List<Step> steps,
    Map<String, String> tokenHashes) {

  static String write(Workflow workflow, Map<String, Defaults> defaults) {
    return Json.write(fields(workflow, defaults));
  }

  private static Map<String, @Nullable Object> fields(
      Workflow workflow, Map<String, Defaults> defaults) {
    Map<String, @Nullable Object> fields = WorkflowSnapshot.fields(workflow);
    fields.put("type", workflow.type());
    List<Map<String, @Nullable Object>> steps = new ArrayList<>();
    for (Step step : workflow.steps()) {
      Map<String, @Nullable Object> each = WorkflowSnapshot.step(step);
      Defaults type = defaults.get(String.valueOf(step.type()));
      if (type != null) {
        each.putIfAbsent("priority", BigDecimal.valueOf(type.priority()));
        each.putIfAbsent("max_attempts", BigDecimal.valueOf(type.maxAttempts()));
        each.putIfAbsent("timeout_micros", BigDecimal.valueOf(type.timeoutMicros()));
      }
      Step.Gate gate = step.gate();
      String token = gate == null ? null : gate.token();
      if (token != null) {
        each.put("token_hash", GateKeeper.digest(token));
      }
      Workflow inner = step.workflow();
      if (inner != null) {
        each.put("workflow", fields(inner, defaults));
      }
      steps.add(each);
    }
    fields.put("steps", steps);
    return fields;
  }

  static SealedWorkflow read(String sealed) {
    Members fields = new Members(Json.parse(sealed));
    Map<String, String> attributes = new LinkedHashMap<>();
    new Members(fields.orElse("attributes", Map.of()))
        .all()
        .forEach((name, value) -> attributes.put(name, String.valueOf(value)));
    List<Step> steps = new ArrayList<>();
    Map<String, String> tokenHashes = new LinkedHashMap<>();
    for (Members each : fields.list("steps")) {
      Step step = step(each);
      steps.add(step);
      String hash = each.text("token_hash");
      if (hash != null) {
        tokenHashes.put(step.key(), hash);
      }
    }
    return new SealedWorkflow(
        String.valueOf(fields.text("type")),
        fields.json("input"),
        fields.text("result_step"),
        attributes,
        steps,
        tokenHashes);
  }

  private static Step step(Members step) {
    Step.Kind kind = Step.Kind.valueOf(String.valueOf(step.text("kind")));
    List<Dependency> after = new ArrayList<>();
    for (Members edge : step.list("after")) {
      after.add(
          new Dependency(
              String.valueOf(edge.text("step")),
              Dependency.Mode.valueOf(String.valueOf(edge.text("mode"))),
              edge.has("if") ? Conditions.read(edge.json("if")) : null));
    }
    Members over = new Members(step.orElse("over", Map.of()));
    String overStep = over.text("step");
    return new Step(
        String.valueOf(step.text("key")),
        kind,
        step.text("type"),
        kind == Step.Kind.WORKFLOW ? step.json("workflow") : step.json("payload"),
        step.number("priority"),
        step.number("max_attempts"),
        step.time("timeout_micros"),
        String.valueOf(step.text("stage")),
        step.text("resource_key"),
        step.time("delay_micros"),
        after,
        step.number("at_least"),
        step.has("may_fail"),
        kind == Step.Kind.GATE
            ? new Step.Gate(
                null,
                step.time("deadline_micros"),
                step.time("remind_micros"),
                step.text("remind_type"))
            : null,
        overStep == null ? null : new Step.Over(overStep, String.valueOf(over.text("at"))),
        null);
  }

  /** The members of a JSON object. */
  private record Members(Map<String, @Nullable Object> all) {
    Members(@Nullable Object json) {
      this(of(json));
    }

    private static Map<String, @Nullable Object> of(@Nullable Object json) {
      Map<String, @Nullable Object> members = new LinkedHashMap<>();
      if (json instanceof Map<?, ?> map) {
        map.forEach((name, value) -> members.put(String.valueOf(name), value));
      }
      return members;
    }

    boolean has(String name) {
      return all.containsKey(name);
    }

    Object orElse(String name, Object other) {
      return Objects.requireNonNullElse(all.get(name), other);
    }

    String json(String name) {
      return Json.write(all.get(name));
    }

    @Nullable String text(String name) {
      return all.get(name) instanceof String text ? text : null;
    }

    @Nullable Integer number(String name) {
      return all.get(name) instanceof BigDecimal number ? Integer.valueOf(number.intValue()) : null;
    }

    @Nullable Duration time(String name) {
      return all.get(name) instanceof BigDecimal micros
          ? Duration.of(micros.longValue(), ChronoUnit.MICROS)
          : null;
    }

    List<Members> list(String name) {
      List<Members> list = new ArrayList<>();
      if (all.get(name) instanceof List<?> values) {
        values.forEach(value -> list.add(new Members(of(value))));
      }
      return list;
    }
  }
}
