package dev.waybill.console;

import dev.waybill.console.Redactor.Kind;
import dev.waybill.job.Scope;
import dev.waybill.workflow.Condition;
import dev.waybill.workflow.Dependency;
import dev.waybill.workflow.GateCompletion;
import dev.waybill.workflow.Rerun;
import dev.waybill.workflow.StepInfo;
import dev.waybill.workflow.StepStatus;
import dev.waybill.workflow.WorkflowFilter;
import dev.waybill.workflow.WorkflowInfo;
import dev.waybill.workflow.WorkflowStatus;
import dev.waybill.workflow.Workflows;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Runs of workflows and their graphs. */
final class WorkflowPages {
  /** How many runs a filtered list looks at before it asks whether to go on. */
  private static final int LOOK_BACK = 2_000;

  private static final int PAGE = 500;

  /** Reasons of failed runs that one list asks for; the next one asks for more. */
  private static final int MOST_LEARNED = 5;

  private final Sources sources;
  private final Payloads payloads;
  private final RunWatch watch;

  WorkflowPages(Sources sources, Payloads payloads, RunWatch watch) {
    this.sources = sources;
    this.payloads = payloads;
    this.watch = watch;
  }

  List<Route> routes() {
    return List.of(
        Route.get(
            "/workflows",
            "Runs, newest first. A status is found by its index, whatever their age; those that have"
                + " ended are listed by their end, the latest first. So is an attribute, and then a"
                + " status, like a type, looks at "
                + LOOK_BACK
                + " of these; 'next' goes on.",
            List.of("type", "status", "attribute", "after", "limit"),
            this::list),
        Route.get(
            "/workflows/{id}",
            "A run with its steps and their dependencies.",
            List.of(),
            request -> detail(request.id("id"))),
        Route.get(
            "/workflows/{id}/steps/{step}",
            "What a step was given and what came out, if payloads are shown.",
            List.of(),
            this::stepBody),
        Route.post("/workflows/{id}/cancel", "Ends a run.", List.of("reason"), this::cancel),
        Route.post(
            "/workflows/{id}/retry",
            "Begins a failed or canceled run again where it failed.",
            List.of("reason"),
            this::retry),
        Route.post(
            "/workflows/{id}/rerun",
            "Runs an ended workflow once more as a new run, all of it or from a step on.",
            List.of("reason", "key", "fromStep"),
            this::rerun),
        Route.post(
            "/workflows/{id}/gates/{step}",
            "Completes a gate: 'end' is SUCCEEDED, FAILED or CANCELED.",
            List.of("end", "output", "code", "message", "token"),
            this::completeGate));
  }

  private Doc list(Request request) {
    Optional<String> type = request.query("type");
    Optional<WorkflowStatus> status =
        request.query("status").map(text -> Request.word(WorkflowStatus.class, text));
    Optional<String> attribute = request.query("attribute");
    boolean picking = type.isPresent() || (attribute.isPresent() && status.isPresent());
    int limit = request.limit();
    WorkflowFilter asked = asked(attribute, status).withLimit(picking ? PAGE : limit);
    Optional<UUID> last = request.queryId("after");
    List<WorkflowInfo> found = new ArrayList<>();
    int lookedAt = 0;
    boolean more = true;
    while (more && lookedAt < LOOK_BACK && found.size() < limit) {
      List<WorkflowInfo> page =
          sources.workflowsOrRefuse().list(last.isPresent() ? asked.withAfter(last.get()) : asked);
      more = page.size() == asked.limit();
      for (WorkflowInfo run : page) {
        if (found.size() == limit) {
          more = true;
          break;
        }
        lookedAt++;
        last = Optional.of(run.id());
        if ((type.isEmpty() || type.get().equals(run.type()))
            && (status.isEmpty() || status.get() == run.status())) {
          found.add(run);
        }
      }
    }
    watch.learnFailures(found, MOST_LEARNED);
    return Doc.of("runs", found.stream().map(this::listed).toList())
        .put("lookedAt", lookedAt)
        .put("next", more ? last.map(UUID::toString).orElse(null) : null);
  }

  private Doc listed(WorkflowInfo run) {
    return document(run)
        .put(
            "why",
            watch.failure(run).map(failure -> failure.step() + ": " + failure.why()).orElse(null));
  }

  /** What an index answers; the rest is picked. */
  private static WorkflowFilter asked(Optional<String> attribute, Optional<WorkflowStatus> status) {
    WorkflowFilter filter = WorkflowFilter.in(Scope.admin());
    if (attribute.isPresent()) {
      int sign = attribute.get().indexOf('=');
      if (sign < 1) {
        throw Refusal.invalid("attribute must be like customer=4711.");
      }
      return filter.withAttribute(
          attribute.get().substring(0, sign), attribute.get().substring(sign + 1));
    }
    return status.isPresent() ? filter.withStatus(status.get()) : filter;
  }

  /** Everything about a run that its page shows. */
  Doc detail(UUID id) {
    Workflows workflows = sources.workflowsOrRefuse();
    WorkflowInfo run = seen(workflows, id);
    Doc doc = document(run);
    doc.put("attributes", workflows.attributes(Scope.admin(), id))
        .put(
            "steps", workflows.steps(Scope.admin(), id).stream().map(WorkflowPages::step).toList());
    if (payloads.areShown()) {
      workflows
          .body(Scope.admin(), id)
          .ifPresent(
              body ->
                  doc.put("input", payloads.shown(Kind.WORKFLOW_INPUT, run.type(), body.input()))
                      .put(
                          "result",
                          payloads.shown(Kind.WORKFLOW_RESULT, run.type(), body.result())));
    }
    return doc;
  }

  private static WorkflowInfo seen(Workflows workflows, UUID id) {
    return workflows.find(Scope.admin(), id).orElseThrow(() -> Refusal.notFound("run " + id));
  }

  private Doc stepBody(Request request) {
    if (!payloads.areShown()) {
      throw new Refusal(403, "payloads.hidden", "Payloads are not shown here.");
    }
    UUID id = request.id("id");
    String key = request.name("step");
    Workflows workflows = sources.workflowsOrRefuse();
    StepInfo.Body body =
        workflows.stepBody(Scope.admin(), id, key).orElseThrow(() -> Refusal.notFound("such step"));
    String type = type(workflows, id, key);
    return Doc.of("payload", payloads.shown(Kind.STEP_PAYLOAD, type, body.payload()))
        .put("output", payloads.shown(Kind.STEP_OUTPUT, type, body.output()));
  }

  /** Of the step's job; gates and the like have none, and are of their workflow's. */
  private static String type(Workflows workflows, UUID id, String key) {
    return workflows.steps(Scope.admin(), id).stream()
        .filter(step -> step.key().equals(key))
        .map(StepInfo::type)
        .filter(Objects::nonNull)
        .findFirst()
        .orElseGet(() -> seen(workflows, id).type());
  }

  private Doc cancel(Request request) {
    UUID id = request.id("id");
    Workflows workflows = sources.workflowsOrRefuse();
    WorkflowInfo run = workflows.cancel(Scope.admin(), id, request.reason());
    Audit.done(request.who(), "cancel run", id, 1);
    return document(run);
  }

  private Doc retry(Request request) {
    UUID id = request.id("id");
    Workflows workflows = sources.workflowsOrRefuse();
    WorkflowInfo run = workflows.retry(Scope.admin(), id, request.reason());
    workflows.wake();
    Audit.done(request.who(), "retry run", id, 1);
    return document(run);
  }

  private Doc rerun(Request request) {
    UUID id = request.id("id");
    Workflows workflows = sources.workflowsOrRefuse();
    String key = request.text("key").orElseGet(() -> "console-" + UUID.randomUUID());
    var started =
        workflows.rerun(
            new Rerun(
                Scope.admin(),
                id,
                key,
                request.reason(),
                request.text("fromStep").orElse(null),
                null));
    workflows.wake();
    Audit.done(request.who(), "rerun", id, 1);
    return Doc.of("id", started.id().toString());
  }

  private Doc completeGate(Request request) {
    UUID id = request.id("id");
    String step = request.name("step");
    StepStatus end = Request.word(StepStatus.class, request.text("end").orElse("SUCCEEDED"));
    boolean failed = end == StepStatus.FAILED;
    @Nullable String message =
        end == StepStatus.SUCCEEDED ? null : request.text("message").orElse(request.reason());
    GateCompletion completion =
        new GateCompletion(
            Scope.admin(),
            id,
            step,
            end,
            end == StepStatus.SUCCEEDED ? request.text("output").orElse(null) : null,
            failed ? request.text("code").orElse("rejected") : null,
            message,
            request.text("token").orElse(null));
    Workflows workflows = sources.workflowsOrRefuse();
    GateCompletion.Outcome outcome = workflows.completeGate(completion);
    workflows.wake();
    Audit.done(request.who(), "complete gate as " + end, id + "/" + step, 1);
    return Doc.of("outcome", outcome);
  }

  static Doc document(WorkflowInfo run) {
    return Doc.of("id", run.id().toString())
        .put("type", run.type())
        .put("tenant", run.scope() instanceof Scope.Tenant tenant ? tenant.id() : null)
        .put("status", run.status())
        .put("stepCount", run.steps())
        .put("openSteps", run.openSteps())
        .put("activeKey", run.activeKey())
        .put("source", run.source() == null ? null : run.source().toString())
        .put("sourceStep", run.sourceStep())
        .put("parent", run.parent() == null ? null : run.parent().toString())
        .put("parentStep", run.parentStep())
        .put("reason", run.reason())
        .put("createdAt", run.createdAt())
        .put("finishedAt", run.finishedAt());
  }

  private static Doc step(StepInfo step) {
    return Doc.of("id", step.id().toString())
        .put("key", step.key())
        .put("kind", step.kind())
        .put("status", step.status())
        .put("type", step.type())
        .put("map", step.map())
        .put("child", step.child() == null ? null : step.child().toString())
        .put("mayFail", step.mayFail())
        .put("after", step.after().stream().map(WorkflowPages::edge).toList())
        .put("blockedBy", step.blockedBy())
        .put("needed", step.needed())
        .put("satisfied", step.satisfied())
        .put("run", step.run())
        .put("attempt", step.attempt())
        .put("releasedAt", step.releasedAt())
        .put("startedAt", step.startedAt())
        .put("finishedAt", step.finishedAt())
        .put("timerAt", step.timerAt())
        .put("worker", step.worker())
        .put("errorCode", step.errorCode())
        .put("errorMessage", step.errorMessage())
        .put("reason", step.reason());
  }

  private static Doc edge(Dependency edge) {
    Condition condition = edge.condition();
    return Doc.of("step", edge.step())
        .put("mode", edge.mode())
        .put(
            "condition",
            condition == null
                ? null
                : condition.pointer()
                    + sign(condition.test())
                    + (condition.value() == null ? "" : condition.value()));
  }

  private static String sign(Condition.Test test) {
    return switch (test) {
      case EQUAL -> " = ";
      case NOT_EQUAL -> " ≠ ";
      case LESS -> " < ";
      case GREATER -> " > ";
      case PRESENT -> " is there";
      case ABSENT -> " is not there";
    };
  }
}
