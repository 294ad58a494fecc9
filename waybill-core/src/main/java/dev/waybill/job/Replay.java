package dev.waybill.job;

import java.util.UUID;

/**
 * An order to run a succeeded job once more as a new job; the old one stays as it is.
 *
 * @param run the run that was seen
 * @param key stands for this order for good
 * @param reason for the record
 */
public record Replay(Scope scope, UUID source, int run, String key, String reason) {
  private static final int LONGEST_KEY = 400;

  public Replay {
    check("job.replay_request_key", key, LONGEST_KEY);
    check("job.replay_reason", reason, 512);
  }

  private static void check(String code, String text, int longest) {
    String complaint = JobNames.complaintAbout(text, longest);
    if (complaint != null) {
      throw new JobException.InvalidArgument(code, "The replay's key or reason " + complaint + ".");
    }
  }

  /** What came of it. */
  public sealed interface Outcome {
    /** The replay. */
    record Replayed(Enqueued job) implements Outcome {}

    /** There is no such job in this scope. */
    record NotFound() implements Outcome {}

    /** It is not what was expected. */
    record Mismatch(JobStatus status, int run) implements Outcome {}
  }
}
