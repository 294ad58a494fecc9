package dev.waybill.internal.workflow;

import dev.waybill.internal.job.JobIds;
import dev.waybill.internal.job.JobKeys;
import dev.waybill.internal.job.Json;
import dev.waybill.internal.job.Wording;
import dev.waybill.internal.sql.Tx;
import dev.waybill.internal.store.StepState;
import dev.waybill.internal.store.WorkflowRunStore;
import dev.waybill.internal.store.WorkflowRunStore.GateRow;
import dev.waybill.internal.store.WorkflowRunStore.LockedRun;
import dev.waybill.workflow.GateCompletion;
import dev.waybill.workflow.GateCompletion.Outcome;
import dev.waybill.workflow.Step;
import dev.waybill.workflow.StepStatus;
import dev.waybill.workflow.WorkflowException.GateConflict;
import dev.waybill.workflow.WorkflowException.InvalidArgument;
import dev.waybill.workflow.WorkflowException.InvalidState;
import dev.waybill.workflow.WorkflowException.NotFound;
import dev.waybill.workflow.WorkflowException.WrongToken;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Completes gates: once, and by nobody who does not know the token. */
final class GateKeeper {
  private final JobIds ids;

  GateKeeper(JobIds ids) {
    this.ids = ids;
  }

  static String digest(String token) {
    return JobKeys.digest("gate", token);
  }

  Outcome complete(Tx tx, GateCompletion completion) {
    String output = completion.output();
    String complaint = output == null ? null : Json.complaintAbout(output);
    if (complaint != null) {
      throw new InvalidArgument("workflow.gate_invalid_output", "The output " + complaint + ".");
    }
    if (!Wording.isStorable(completion.step())) {
      throw NotFound.step(completion.run(), completion.step());
    }
    LockedRun run = Runs.lock(tx, completion.scope(), completion.run());
    WorkflowRunStore store = WorkflowRunStore.in(tx);
    GateRow gate =
        store
            .gate(run.id(), completion.step())
            .orElseThrow(() -> NotFound.step(run.id(), completion.step()));
    if (gate.kind() != Step.Kind.GATE) {
      throw new InvalidArgument(
          "workflow.step_not_a_gate",
          "Step '" + completion.step() + "' of run " + run.id() + " is a " + gate.kind() + ".");
    }
    if (!knowsToken(gate.tokenHash(), completion.token())) {
      throw new WrongToken(run.id(), completion.step());
    }
    if (gate.state().isTerminal()) {
      compare(completion, gate);
      return Outcome.ALREADY;
    }
    if (gate.state() != StepState.WAITING) {
      throw new InvalidState(
          "workflow.gate_not_open",
          "Gate '"
              + completion.step()
              + "' of run "
              + run.id()
              + " still waits for prerequisites.");
    }
    new Avalanche(tx, ids, List.of(run))
        .end(
            List.of(
                StepEnd.of(
                    run.id(),
                    gate.id(),
                    state(completion.end()),
                    output,
                    code(completion),
                    message(completion),
                    reason(completion))));
    return Outcome.COMPLETED;
  }

  /** Compared in constant time: how much of a guess is right must not be measurable. */
  private static boolean knowsToken(@Nullable String hash, @Nullable String token) {
    return hash == null
        || (token != null
            && MessageDigest.isEqual(
                hash.getBytes(StandardCharsets.US_ASCII),
                digest(token).getBytes(StandardCharsets.US_ASCII)));
  }

  private static StepState state(StepStatus end) {
    return switch (end) {
      case SUCCEEDED -> StepState.SUCCEEDED;
      case FAILED -> StepState.FAILED;
      default -> StepState.CANCELED;
    };
  }

  private static @Nullable String code(GateCompletion completion) {
    String code = completion.code();
    return code == null ? null : Wording.code(code);
  }

  private static @Nullable String message(GateCompletion completion) {
    String message = completion.message();
    return message == null || completion.end() != StepStatus.FAILED ? null : Wording.of(message);
  }

  private static @Nullable String reason(GateCompletion completion) {
    String message = completion.message();
    return message == null || completion.end() != StepStatus.CANCELED
        ? null
        : Wording.code(message);
  }

  private static void compare(GateCompletion completion, GateRow gate) {
    List<String> differences = new ArrayList<>();
    if (state(completion.end()) != gate.state()) {
      differences.add("status");
    }
    if (!Conditions.isSame(completion.output(), gate.output())) {
      differences.add("output");
    }
    boolean sameWords =
        Objects.equals(code(completion), gate.code())
            && Objects.equals(message(completion), gate.message())
            && Objects.equals(reason(completion), gate.reason());
    if (!sameWords) {
      differences.add("reason");
    }
    if (!differences.isEmpty()) {
      throw new GateConflict(
          completion.run(),
          completion.step(),
          StepStatus.valueOf(gate.state().name()),
          differences);
    }
  }
}
