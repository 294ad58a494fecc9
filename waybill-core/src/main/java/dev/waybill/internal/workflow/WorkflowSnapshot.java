package dev.waybill.internal.workflow;

import dev.waybill.internal.job.Json;
import dev.waybill.workflow.Condition;
import dev.waybill.workflow.Dependency;
import dev.waybill.workflow.Step;
import dev.waybill.workflow.Workflow;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a keyed request said, in the canonical form that is stored with its run. A repetition is the
 * same request exactly if its snapshot is the same text; so this form must never change, which a
 * golden test watches. The order of steps and edges does not matter; what is optional appears only
 * when present; tokens never do.
 */
final class WorkflowSnapshot {
  private WorkflowSnapshot() {}

  static String of(Workflow workflow) {
    return Json.write(fields(workflow));
  }

  static Map<String, @Nullable Object> fields(Workflow workflow) {
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    fields.put("input", Json.parse(workflow.input()));
    fields.put("steps", steps(workflow.steps()));
    ifPresent(fields, "active_key", workflow.activeKey());
    ifPresent(fields, "result_step", workflow.resultStep());
    if (!workflow.attributes().isEmpty()) {
      fields.put("attributes", new LinkedHashMap<>(workflow.attributes()));
    }
    return fields;
  }

  static String of(List<Step> appended) {
    return Json.write(Map.of("steps", steps(appended)));
  }

  private static List<Map<String, @Nullable Object>> steps(List<Step> steps) {
    return steps.stream()
        .sorted(Comparator.comparing(Step::key))
        .map(WorkflowSnapshot::step)
        .toList();
  }

  static Map<String, @Nullable Object> step(Step step) {
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    fields.put("key", step.key());
    fields.put("kind", step.kind().name());
    fields.put("payload", Json.parse(step.payload()));
    fields.put("stage", step.stage());
    ifPresent(fields, "type", step.type());
    ifPresent(fields, "priority", number(step.priority()));
    ifPresent(fields, "max_attempts", number(step.maxAttempts()));
    ifPresent(fields, "timeout_micros", micros(step.timeout()));
    ifPresent(fields, "resource_key", step.resourceKey());
    ifPresent(fields, "delay_micros", micros(step.delay()));
    Integer atLeast = step.atLeast();
    // All of them, said or not, is the same.
    if (atLeast != null && atLeast != step.after().size()) {
      fields.put("at_least", number(atLeast));
    }
    if (step.mayFail()) {
      fields.put("may_fail", true);
    }
    Step.Gate gate = step.gate();
    if (gate != null) {
      ifPresent(fields, "deadline_micros", micros(gate.deadline()));
      ifPresent(fields, "remind_micros", micros(gate.remindAfter()));
      ifPresent(fields, "remind_type", gate.remindType());
    }
    Step.Over over = step.over();
    if (over != null) {
      fields.put("over", Map.of("step", over.step(), "at", over.pointer()));
    }
    Workflow inner = step.workflow();
    if (inner != null) {
      Map<String, @Nullable Object> own = fields(inner);
      own.put("type", inner.type());
      fields.put("workflow", own);
    }
    if (!step.after().isEmpty()) {
      fields.put("after", edges(step.after()));
    }
    return fields;
  }

  private static List<Map<String, @Nullable Object>> edges(List<Dependency> after) {
    List<Map<String, @Nullable Object>> edges = new ArrayList<>();
    after.stream()
        .sorted(Comparator.comparing(Dependency::step))
        .forEach(
            edge -> {
              Map<String, @Nullable Object> fields = new LinkedHashMap<>();
              fields.put("step", edge.step());
              fields.put("mode", edge.mode().name());
              Condition condition = edge.condition();
              if (condition != null) {
                fields.put("if", Conditions.fields(condition));
              }
              edges.add(fields);
            });
    return edges;
  }

  private static void ifPresent(
      Map<String, @Nullable Object> fields, String name, @Nullable Object value) {
    if (value != null) {
      fields.put(name, value);
    }
  }

  private static @Nullable BigDecimal number(@Nullable Integer value) {
    return value == null ? null : BigDecimal.valueOf(value);
  }

  private static @Nullable BigDecimal micros(@Nullable Duration value) {
    return value == null ? null : BigDecimal.valueOf(value.toNanos() / 1000);
  }
}
