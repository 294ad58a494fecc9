package dev.waybill.workflow;

import dev.waybill.WaybillException;
import dev.waybill.job.JobException.Category;
import java.io.Serial;
import java.util.List;
import java.util.UUID;

/**
 * A workflow was used wrongly. Each case is a type of its own with a stable {@link #code}; messages
 * contain neither payloads nor tokens.
 */
public abstract sealed class WorkflowException extends WaybillException {
  @Serial private static final long serialVersionUID = 1L;

  private final Category category;
  private final String code;

  private WorkflowException(Category category, String code, String message) {
    super(message);
    this.category = category;
    this.code = code;
  }

  /** What kind of answer a caller would give on. */
  public final Category category() {
    return category;
  }

  /** Stable, for programs. */
  public final String code() {
    return code;
  }

  /** A workflow that cannot be run, or steps that cannot be appended; nothing was stored. */
  public static final class InvalidWorkflow extends WorkflowException {
    @Serial private static final long serialVersionUID = 1L;
    private final List<Problem> problems;

    /** For what it is about, and all that is wrong with it. */
    public InvalidWorkflow(String what, List<Problem> problems) {
      super(Category.VALIDATION, problems.get(0).code(), text(what, problems));
      this.problems = List.copyOf(problems);
    }

    private static String text(String what, List<Problem> problems) {
      StringBuilder text = new StringBuilder(what).append(" cannot be run:");
      for (Problem problem : problems.subList(0, Math.min(20, problems.size()))) {
        text.append("\n- ");
        if (!problem.step().isEmpty()) {
          text.append(Problems.quoted(problem.step())).append(": ");
        }
        text.append(problem.message());
      }
      if (problems.size() > 20) {
        text.append("\n- and ").append(problems.size() - 20).append(" more");
      }
      return text.toString();
    }

    /** All that is wrong. */
    public List<Problem> problems() {
      return problems;
    }
  }

  /** An argument of an operation that makes no sense. */
  public static final class InvalidArgument extends WorkflowException {
    @Serial private static final long serialVersionUID = 1L;

    /** For an argument and what is wrong with it. */
    public InvalidArgument(String code, String message) {
      super(Category.VALIDATION, code, message);
    }
  }

  /** Job types that nobody has defined in this database, or that are disabled. */
  public static final class DefinitionUnavailable extends WorkflowException {
    @Serial private static final long serialVersionUID = 1L;
    private final List<String> types;

    /** For the types that were asked for. */
    public DefinitionUnavailable(List<String> types) {
      super(
          Category.VALIDATION,
          "workflow.definition_not_found_or_disabled",
          "The job types "
              + types.stream().map(Problems::quoted).toList()
              + " are not defined in this database or are disabled. Synchronise their definitions,"
              + " or enable them; names are case-sensitive. Nothing was stored.");
      this.types = List.copyOf(types);
    }

    /** The types that were asked for. */
    public List<String> types() {
      return types;
    }
  }

  /** The key was used before, for another request. */
  public static final class IdempotencyConflict extends WorkflowException {
    @Serial private static final long serialVersionUID = 1L;
    private final UUID existing;

    /** For the run that has the key, and the fields in which the requests differ. */
    public IdempotencyConflict(String code, String what, UUID existing, List<String> fields) {
      super(
          Category.CONFLICT,
          code,
          what
              + " was used for run "
              + existing
              + " already, with a request that differs in "
              + String.join(", ", fields)
              + ". Repeat a request exactly, or use another key. Nothing was stored.");
      this.existing = existing;
    }

    /** The run that has the key. */
    public UUID existing() {
      return existing;
    }
  }

  /** No such run, or no such step in it, in this scope. */
  public static final class NotFound extends WorkflowException {
    @Serial private static final long serialVersionUID = 1L;

    private NotFound(String code, String message) {
      super(Category.NOT_FOUND, code, message);
    }

    /** For a run. */
    public static NotFound run(UUID id) {
      return new NotFound(
          "workflow.run_not_found",
          "There is no run " + id + " of a workflow in this scope. It may have been purged.");
    }

    /** For a step of a run. */
    public static NotFound step(UUID id, String key) {
      return new NotFound(
          "workflow.step_not_found", "Run " + id + " has no step " + Problems.quoted(key) + ".");
    }
  }

  /** The run or the step is in a state that does not allow it. */
  public static final class InvalidState extends WorkflowException {
    @Serial private static final long serialVersionUID = 1L;

    /** For what is so. */
    public InvalidState(String code, String message) {
      super(Category.CONFLICT, code, message);
    }
  }

  /** The gate was completed before, in another way. */
  public static final class GateConflict extends WorkflowException {
    @Serial private static final long serialVersionUID = 1L;
    private final StepStatus status;

    /** For the gate, how it was completed, and in what that differs. */
    public GateConflict(UUID run, String step, StepStatus status, List<String> fields) {
      super(
          Category.CONFLICT,
          "workflow.gate_conflicting_completion",
          "Gate "
              + Problems.quoted(step)
              + " of run "
              + run
              + " is "
              + status
              + " already; this completion differs in "
              + String.join(", ", fields)
              + ". Nothing was changed.");
      this.status = status;
    }

    /** How it was completed. */
    public StepStatus status() {
      return status;
    }
  }

  /** The gate wants another token, or one at all. */
  public static final class WrongToken extends WorkflowException {
    @Serial private static final long serialVersionUID = 1L;

    /** For the gate. */
    public WrongToken(UUID run, String step) {
      super(
          Category.FORBIDDEN,
          "workflow.gate_wrong_token",
          "Gate "
              + Problems.quoted(step)
              + " of run "
              + run
              + " can only be completed with its token. Nothing was changed.");
    }
  }
}
