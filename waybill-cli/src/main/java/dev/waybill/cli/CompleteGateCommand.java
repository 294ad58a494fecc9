package dev.waybill.cli;

import dev.waybill.workflow.GateCompletion;
import dev.waybill.workflow.WorkflowInfo;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** {@code waybill workflows complete-gate}: what somebody outside has decided. */
@Command(
    name = "complete-gate",
    description =
        "Complete a gate that waits; it succeeds unless --fail or --cancel says otherwise.",
    mixinStandardHelpOptions = true)
final class CompleteGateCommand implements Callable<Integer> {
  @Mixin private Operator operator = new Operator();
  @Mixin private Output output = new Output();

  @Parameters(index = "0", paramLabel = "ID", description = "The run.")
  private UUID id;

  @Parameters(index = "1", paramLabel = "STEP", description = "The gate.")
  private String step;

  @Option(names = "--output", paramLabel = "JSON", description = "What comes out.")
  private @Nullable String result;

  @Option(names = "--fail", paramLabel = "WHY", description = "Let it fail.")
  private @Nullable String fail;

  @Option(names = "--cancel", paramLabel = "WHY", description = "Cancel it.")
  private @Nullable String cancel;

  @Option(
      names = "--token-env",
      paramLabel = "VARIABLE",
      description = "The environment variable that holds the gate's token.")
  private @Nullable String tokenVariable;

  @SuppressWarnings("NullAway.Init") // picocli sets the injected fields
  CompleteGateCommand() {}

  @Override
  public Integer call() throws Exception {
    if (Stream.of(result, fail, cancel).filter(Objects::nonNull).count() > 1) {
      throw new ParameterException(
          output.command(), "A gate has one end: give one of --output, --fail and --cancel.");
    }
    String token =
        tokenVariable == null
            ? null
            : Configuration.of(output.command()).secret(tokenVariable, "--token-env");
    return WorkflowsCommand.withRun(
        operator,
        output,
        id,
        (waybill, run) -> {
          GateCompletion completion = completion(run);
          GateCompletion.Outcome outcome =
              waybill
                  .workflows()
                  .completeGate(token == null ? completion : completion.withToken(token));
          waybill.workflows().wake();
          output.show(
              "Gate " + step + ": " + JobText.lower(outcome) + ".",
              Map.of("id", id, "step", step, "outcome", JobText.lower(outcome)));
          return ExitCode.FINE;
        });
  }

  private GateCompletion completion(WorkflowInfo run) {
    if (fail != null) {
      return GateCompletion.fail(run.scope(), run.id(), step, "operator", fail);
    }
    if (cancel != null) {
      return GateCompletion.cancel(run.scope(), run.id(), step, cancel);
    }
    return result == null
        ? GateCompletion.succeed(run.scope(), run.id(), step)
        : GateCompletion.succeed(run.scope(), run.id(), step, result);
  }
}
