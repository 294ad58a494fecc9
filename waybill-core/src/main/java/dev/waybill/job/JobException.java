package dev.waybill.job;

import dev.waybill.WaybillException;
import java.io.Serial;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

/**
 * A job, a definition or a schedule was used wrongly. Each case is a type of its own with a stable
 * {@link #code}; messages never contain payloads.
 */
public abstract sealed class JobException extends WaybillException {
  @Serial private static final long serialVersionUID = 1L;

  /** What kind of answer a caller would give on. */
  public enum Category {
    /** What was asked for is wrong in itself. */
    VALIDATION,
    /** It contradicts what is there. */
    CONFLICT,
    /** What it is about is not there, or not in this scope. */
    NOT_FOUND,
    /** Whoever asks may not, or not any more. */
    FORBIDDEN
  }

  private final Category category;
  private final String code;

  private JobException(Category category, String code, String message) {
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

  /** A request that cannot be stored. */
  public static final class InvalidRequest extends JobException {
    @Serial private static final long serialVersionUID = 1L;
    private final String field;

    /** For its field, and what is wrong with that. */
    public InvalidRequest(String field, String complaint) {
      super(
          Category.VALIDATION,
          "job.invalid_" + field,
          "The job request cannot be taken: " + field + " " + complaint + ".");
      this.field = field;
    }

    /** Which field of it. */
    public String field() {
      return field;
    }
  }

  /** A definition that makes no sense. */
  public static final class InvalidDefinition extends JobException {
    @Serial private static final long serialVersionUID = 1L;
    private final String field;

    /** For what it defines, its field, and what is wrong with that. */
    public InvalidDefinition(String what, String field, String complaint) {
      super(
          Category.VALIDATION,
          "job_definition.invalid_" + field,
          "The definition of " + what + ": " + field + " " + complaint + ".");
      this.field = field;
    }

    /** Which field. */
    public String field() {
      return field;
    }
  }

  /** A setting, an argument of an operation, or a schedule that makes no sense. */
  public static final class InvalidArgument extends JobException {
    @Serial private static final long serialVersionUID = 1L;

    /** For an argument and what is wrong with it. */
    public InvalidArgument(String code, String message) {
      super(Category.VALIDATION, code, message);
    }
  }

  /** Nobody has defined the type in this database, or it is disabled. */
  public static final class DefinitionUnavailable extends JobException {
    @Serial private static final long serialVersionUID = 1L;
    private final String type;

    /** For the type that was asked for. */
    public DefinitionUnavailable(String type) {
      super(
          Category.VALIDATION,
          "job.definition_not_found_or_disabled",
          "The job type "
              + JobNames.quoted(type)
              + " is not defined in this database or is disabled. Synchronise its definition, or"
              + " enable it; names are case-sensitive. Nothing was enqueued.");
      this.type = type;
    }

    /** The type that was asked for. */
    public String type() {
      return type;
    }
  }

  /** The key was used before, for another request. */
  public static final class IdempotencyConflict extends JobException {
    @Serial private static final long serialVersionUID = 1L;
    private final UUID existing;
    private final List<String> fields;

    /** For the job that has the key, and the fields in which the requests differ. */
    public IdempotencyConflict(String type, UUID existing, List<String> fields) {
      super(
          Category.CONFLICT,
          "job.idempotency_conflict",
          "The idempotency key of a request for "
              + JobNames.quoted(type)
              + " belongs to job "
              + existing
              + " already, whose request differs in "
              + String.join(", ", fields)
              + ". Repeat a request exactly, or use another key. Nothing was enqueued.");
      this.existing = existing;
      this.fields = List.copyOf(fields);
    }

    /** The job that has the key. */
    public UUID existing() {
      return existing;
    }

    /** In which fields the requests differ. */
    public List<String> fields() {
      return fields;
    }
  }

  /**
   * The key was used before, for a request that nobody kept: nobody can tell whether it is equal.
   */
  public static final class RequestNotKept extends JobException {
    @Serial private static final long serialVersionUID = 1L;
    private final UUID existing;

    /** For the job that has the key. */
    public RequestNotKept(String type, UUID existing) {
      super(
          Category.CONFLICT,
          "job.legacy_idempotency_snapshot_missing",
          "The idempotency key of a request for "
              + JobNames.quoted(type)
              + " belongs to job "
              + existing
              + " already, which was stored without its request: nobody can tell whether they are"
              + " equal. Use another key. Nothing was enqueued.");
      this.existing = existing;
    }

    /** The job that has the key. */
    public UUID existing() {
      return existing;
    }
  }

  /** A schedule needs the definition that should be disabled. */
  public static final class ActiveScheduleExists extends JobException {
    @Serial private static final long serialVersionUID = 1L;

    /** For the type and the schedules. */
    public ActiveScheduleExists(String type, List<String> schedules) {
      super(
          Category.CONFLICT,
          "job_definition.active_schedule_exists",
          "The job type "
              + JobNames.quoted(type)
              + " cannot be disabled: the active schedules "
              + schedules
              + " need it. Pause or remove them first.");
    }
  }

  /** No such job in this scope. */
  public static final class JobNotFound extends JobException {
    @Serial private static final long serialVersionUID = 1L;

    /** For an id. */
    public JobNotFound(UUID id) {
      super(
          Category.NOT_FOUND,
          "job.not_found",
          "There is no job " + id + " in this scope. It may have been purged.");
    }
  }

  /** The job is in a state that does not allow it. */
  public static final class InvalidTransition extends JobException {
    @Serial private static final long serialVersionUID = 1L;
    private final JobStatus actual;

    /** For a job, what should be done, and what it is. */
    public InvalidTransition(UUID id, String verb, JobStatus actual) {
      super(
          Category.CONFLICT,
          "job.invalid_state_transition",
          "Job " + id + " cannot be " + verb + ": it is " + actual + ".");
      this.actual = actual;
    }

    /** What the job is. */
    public JobStatus actual() {
      return actual;
    }
  }

  /** A canceled job whose handler may still be running. */
  public static final class NotQuiesced extends JobException {
    @Serial private static final long serialVersionUID = 1L;
    private final Instant retryAfter;

    /** For a job and when nobody can be at it any more. */
    public NotQuiesced(UUID id, Instant retryAfter) {
      super(
          Category.CONFLICT,
          "job.cancellation_not_quiesced",
          "Job " + id + " was canceled while it ran; its lease ends at " + retryAfter + ".");
      this.retryAfter = retryAfter;
    }

    /** When to try again. */
    public Instant retryAfter() {
      return retryAfter;
    }
  }

  /** The replay key was used before, with another reason. */
  public static final class ReplayConflict extends JobException {
    @Serial private static final long serialVersionUID = 1L;

    /** For the source and the replay that has the key. */
    public ReplayConflict(UUID source, UUID existing) {
      super(
          Category.CONFLICT,
          "job.replay_idempotency_conflict",
          "The replay key for job "
              + source
              + " belongs to replay "
              + existing
              + " already, which has another reason or run. Repeat a request exactly, or use another key.");
    }
  }

  /** The attempt no longer owns its job: canceled, expired, or taken over. */
  public static final class LeaseLost extends JobException {
    @Serial private static final long serialVersionUID = 1L;

    /** For the job of the attempt. */
    public LeaseLost(UUID id, int run, int attempt) {
      super(
          Category.FORBIDDEN,
          "job.lease_owner_mismatch",
          "Attempt "
              + attempt
              + " of run "
              + run
              + " no longer owns job "
              + id
              + ". Stop working on it: whatever it writes is refused.");
    }
  }

  /** No such schedule. */
  public static final class ScheduleNotFound extends JobException {
    @Serial private static final long serialVersionUID = 1L;

    /** For a name. */
    public ScheduleNotFound(String name) {
      super(
          Category.NOT_FOUND,
          "job_schedule.not_found",
          "There is no schedule " + JobNames.quoted(name) + ".");
    }
  }
}
