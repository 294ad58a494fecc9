package dev.waybill.cli;

import dev.waybill.Waybill;
import dev.waybill.job.Scope;
import dev.waybill.workflow.Compensation;
import dev.waybill.workflow.Started;
import dev.waybill.workflow.StepInfo;
import dev.waybill.workflow.WorkflowFilter;
import dev.waybill.workflow.WorkflowInfo;
import dev.waybill.workflow.WorkflowPicture;
import dev.waybill.workflow.WorkflowStatus;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** {@code waybill workflows …}: runs of workflows. */
@Command(
    name = "workflows",
    description = "Runs of workflows: look at them, draw, cancel and retry them, complete gates.",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {GatesCommand.class, CompleteGateCommand.class})
final class WorkflowsCommand extends Parent {
  /** How to draw. */
  enum Format {
    DOT,
    MERMAID,
    SVG
  }

  @Command(
      name = "list",
      description =
          "List them, newest first; those of a status in which they ended, the latest end first.",
      mixinStandardHelpOptions = true)
  int list(
      @Mixin Operator operator,
      @Mixin Output output,
      @Option(names = "--type", paramLabel = "TYPE", description = "Of this type.")
          @Nullable String type,
      @Option(
              names = "--status",
              paramLabel = "STATUS",
              description = "In this status: ${COMPLETION-CANDIDATES}.")
          @Nullable WorkflowStatus status,
      @Option(
              names = "--attribute",
              paramLabel = "NAME=VALUE",
              description = "With this attribute.")
          @Nullable Map<String, String> attribute,
      @Option(names = "--tenant", paramLabel = "TENANT", description = "Of this tenant.")
          @Nullable String tenant,
      @Option(names = "--after", paramLabel = "ID", description = "The page after this run.")
          @Nullable UUID after,
      @Option(
              names = "--limit",
              paramLabel = "N",
              defaultValue = "20",
              description = "At most so many (${DEFAULT-VALUE}).")
          int limit)
      throws Exception {
    if (attribute != null && attribute.size() > 1) {
      throw new ParameterException(
          output.command(), "Runs are found by one attribute at a time: give one --attribute.");
    }
    WorkflowFilter filter =
        narrowed(
            WorkflowFilter.in(tenant == null ? Scope.admin() : Scope.tenant(tenant))
                .withLimit(limit),
            type,
            status,
            attribute == null ? Map.of() : attribute,
            after);
    return operator.withWaybill(
        waybill -> {
          List<WorkflowInfo> runs = waybill.workflows().list(filter);
          NextPage next = NextPage.after(runs, limit, run -> run.id().toString());
          output.show(
              next.below(WorkflowText.table(runs)),
              next.in("workflows", runs.stream().map(WorkflowText::document).toList()));
          return ExitCode.FINE;
        });
  }

  private static WorkflowFilter narrowed(
      WorkflowFilter filter,
      @Nullable String type,
      @Nullable WorkflowStatus status,
      Map<String, String> attribute,
      @Nullable UUID after) {
    WorkflowFilter narrow = type == null ? filter : filter.withType(type);
    narrow = status == null ? narrow : narrow.withStatus(status);
    narrow = after == null ? narrow : narrow.withAfter(after);
    for (Map.Entry<String, String> each : attribute.entrySet()) {
      narrow = narrow.withAttribute(each.getKey(), each.getValue());
    }
    return narrow;
  }

  @Command(
      name = "show",
      description = "Show one with its steps and what they wait for.",
      mixinStandardHelpOptions = true)
  int show(
      @Mixin Operator operator,
      @Mixin Output output,
      @Parameters(paramLabel = "ID", description = "From the list.") UUID id,
      @Option(names = "--payload", description = "With input and result.") boolean payload)
      throws Exception {
    return withRun(
        operator,
        output,
        id,
        (waybill, run) -> {
          List<StepInfo> steps = waybill.workflows().steps(Scope.admin(), id);
          Map<String, String> attributes = waybill.workflows().attributes(Scope.admin(), id);
          WorkflowInfo.Body body =
              payload ? waybill.workflows().body(Scope.admin(), id).orElse(null) : null;
          Map<String, Object> document = new LinkedHashMap<>(WorkflowText.document(run));
          document.put("attributes", attributes);
          document.put("step_list", steps.stream().map(WorkflowText::document).toList());
          if (body != null) {
            document.put("input", body.input());
            JobText.put(document, "result", body.result());
          }
          output.show(WorkflowText.whole(run, attributes, steps, body), document);
          return ExitCode.FINE;
        });
  }

  @Command(
      name = "graph",
      description =
          "Draw one, as SVG or as text for Graphviz or Mermaid, with the status of its steps.",
      mixinStandardHelpOptions = true)
  int graph(
      @Mixin Operator operator,
      @Mixin Output output,
      @Parameters(paramLabel = "ID", description = "From the list.") UUID id,
      @Option(
              names = "--format",
              paramLabel = "FORMAT",
              defaultValue = "DOT",
              description = "${COMPLETION-CANDIDATES} (${DEFAULT-VALUE}).")
          Format format)
      throws Exception {
    return withRun(
        operator,
        output,
        id,
        (waybill, run) -> {
          WorkflowPicture picture =
              WorkflowPicture.of(run, waybill.workflows().steps(Scope.admin(), id));
          String text =
              switch (format) {
                case DOT -> picture.dot();
                case MERMAID -> picture.mermaid();
                case SVG -> picture.svg();
              };
          output.show(text.stripTrailing(), Map.of("format", JobText.lower(format), "graph", text));
          return ExitCode.FINE;
        });
  }

  @Command(
      name = "cancel",
      description = "End one: what waits never runs, what runs is asked to stop.",
      mixinStandardHelpOptions = true)
  int cancel(
      @Mixin Operator operator,
      @Mixin Output output,
      @Mixin Confirmation confirmation,
      @Parameters(paramLabel = "ID", description = "From the list.") UUID id,
      @Option(names = "--reason", required = true, description = "For the record.") String reason)
      throws Exception {
    return withRun(
        operator,
        output,
        id,
        (waybill, run) ->
            confirmation.before(
                output,
                "cancel " + describe(run),
                () -> told(output, waybill.workflows().cancel(run.scope(), id, reason))));
  }

  @Command(
      name = "retry",
      description = "Begin a failed or canceled one again where it failed.",
      mixinStandardHelpOptions = true)
  int retry(
      @Mixin Operator operator,
      @Mixin Output output,
      @Mixin Confirmation confirmation,
      @Parameters(paramLabel = "ID", description = "From the list.") UUID id,
      @Option(names = "--reason", required = true, description = "For the record.") String reason)
      throws Exception {
    return withRun(
        operator,
        output,
        id,
        (waybill, run) ->
            confirmation.before(
                output,
                "retry " + describe(run),
                () -> told(output, waybill.workflows().retry(run.scope(), id, reason))));
  }

  @Command(
      name = "compensate",
      description = "Undo what an ended one did, by a new run: the last success first.",
      mixinStandardHelpOptions = true)
  int compensate(
      @Mixin Operator operator,
      @Mixin Output output,
      @Mixin Confirmation confirmation,
      @Parameters(paramLabel = "ID", description = "From the list.") UUID id,
      @Option(
              names = "--undo",
              required = true,
              paramLabel = "STEP=TYPE",
              description = "A job of this type undoes that step, if it succeeded. Repeatable.")
          Map<String, String> undo,
      @Option(names = "--reason", required = true, description = "For the record.") String reason)
      throws Exception {
    return withRun(
        operator,
        output,
        id,
        (waybill, run) -> {
          Compensation order = new Compensation(run.scope(), id, reason, undo);
          return confirmation.before(
              output,
              "undo " + String.join(", ", undo.keySet()) + " of " + describe(run),
              () -> {
                Started started = waybill.workflows().compensate(order);
                output.show(
                    "Run " + started.id() + ": " + JobText.lower(started.outcome()) + ".",
                    Map.of("id", started.id(), "outcome", JobText.lower(started.outcome())));
                return ExitCode.FINE;
              });
        });
  }

  private static int told(Output output, WorkflowInfo run) {
    output.show("It is " + JobText.lower(run.status()) + ".", WorkflowText.document(run));
    return ExitCode.FINE;
  }

  private static String describe(WorkflowInfo run) {
    return "the " + JobText.lower(run.status()) + " run " + run.id() + " of type " + run.type();
  }

  /** What to do with a run. */
  interface RunTask {
    int run(Waybill waybill, WorkflowInfo run) throws Exception;
  }

  static int withRun(Operator operator, Output output, UUID id, RunTask task) throws Exception {
    return operator.withWaybill(
        waybill -> {
          Optional<WorkflowInfo> run = waybill.workflows().find(Scope.admin(), id);
          return run.isEmpty()
              ? output.complain("there is no run " + id + ".")
              : task.run(waybill, run.get());
        });
  }
}
