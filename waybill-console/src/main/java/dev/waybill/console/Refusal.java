package dev.waybill.console;

import dev.waybill.DatabaseException;
import dev.waybill.job.JobException;
import dev.waybill.outbox.DeadLetterException;
import dev.waybill.outbox.OutboxException;
import dev.waybill.workflow.WorkflowException;
import java.io.Serial;
import java.util.Optional;

/** A request that is not answered as it was meant to be, and why. */
final class Refusal extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;
  private final int status;
  private final String code;

  Refusal(int status, String code, String message) {
    super(message, null, false, false);
    this.status = status;
    this.code = code;
  }

  static Refusal invalid(String message) {
    return new Refusal(400, "invalid", message);
  }

  static Refusal notFound(String what) {
    return new Refusal(404, "not_found", "There is no " + what + ".");
  }

  int status() {
    return status;
  }

  String text() {
    return Optional.ofNullable(getMessage()).orElse(code);
  }

  Doc document() {
    return Doc.of("error", code).put("message", text());
  }

  /** What Waybill's own errors mean to whoever asked; empty for surprises. */
  static Optional<Refusal> of(Exception e) {
    String message = String.valueOf(e.getMessage());
    if (e instanceof Refusal refusal) {
      return Optional.of(refusal);
    }
    if (e instanceof JobException job) {
      return Optional.of(new Refusal(status(job.category().name()), job.code(), message));
    }
    if (e instanceof WorkflowException workflow) {
      return Optional.of(new Refusal(status(workflow.category().name()), workflow.code(), message));
    }
    if (e instanceof OutboxException.QueueNotRegistered) {
      return Optional.of(new Refusal(404, "queue.not_found", message));
    }
    if (e instanceof DeadLetterException.ClaimLost) {
      return Optional.of(new Refusal(409, "claim.lost", message));
    }
    if (e instanceof OutboxException) {
      return Optional.of(new Refusal(400, "outbox.invalid", message));
    }
    if (e instanceof DatabaseException database) {
      String code = "database." + database.kind().name().toLowerCase(java.util.Locale.ROOT);
      return Optional.of(
          new Refusal(503, code, "The database did not answer as it should; the log says more."));
    }
    return Optional.empty();
  }

  private static int status(String category) {
    return switch (category) {
      case "VALIDATION" -> 400;
      case "NOT_FOUND" -> 404;
      case "FORBIDDEN" -> 403;
      default -> 409;
    };
  }
}
