package dev.waybill.job;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Which jobs to list. In which order depends on the status, because each has an index of its own:
 *
 * <ul>
 *   <li>any status, and those that run: newest first (of those that run, 10,000 are looked at)
 *   <li>scheduled: those due next first
 *   <li>pending: by type and tenant, and there in the order in which they are claimed
 *   <li>succeeded, dead-lettered, canceled: the latest end first
 * </ul>
 *
 * @param after the last job of the page before; if it has moved on meanwhile, the page begins where
 *     it stands now, and there is none if it was purged, or ended and runs again
 * @param limit 1 to 1000
 */
public record JobFilter(
    Scope scope,
    @Nullable String type,
    @Nullable JobStatus status,
    @Nullable String errorCode,
    @Nullable Instant createdSince,
    @Nullable Instant createdBefore,
    @Nullable UUID after,
    int limit) {
  private static final int LARGEST_PAGE = 1000;

  public JobFilter {
    if (limit < 1 || limit > LARGEST_PAGE) {
      throw new JobException.InvalidArgument(
          "job.invalid_pagination", "A page has 1 to 1000 jobs, not " + limit + ".");
    }
  }

  /** All jobs of the scope, 100 at a time. */
  public static JobFilter of(Scope scope) {
    return new JobFilter(scope, null, null, null, null, null, null, 100);
  }

  /** Only of this type. */
  public JobFilter withType(String value) {
    return new JobFilter(
        scope, value, status, errorCode, createdSince, createdBefore, after, limit);
  }

  /** Only in this status; this decides the order. */
  public JobFilter withStatus(JobStatus value) {
    return new JobFilter(scope, type, value, errorCode, createdSince, createdBefore, after, limit);
  }

  /** Only with this error. */
  public JobFilter withErrorCode(String value) {
    return new JobFilter(scope, type, status, value, createdSince, createdBefore, after, limit);
  }

  /** Only those created from then (inclusive) to then (exclusive). */
  public JobFilter withCreated(@Nullable Instant since, @Nullable Instant before) {
    return new JobFilter(scope, type, status, errorCode, since, before, after, limit);
  }

  /** The page that follows this job. */
  public JobFilter withAfter(UUID value) {
    return new JobFilter(scope, type, status, errorCode, createdSince, createdBefore, value, limit);
  }

  /** With pages of this size. */
  public JobFilter withLimit(int value) {
    return new JobFilter(scope, type, status, errorCode, createdSince, createdBefore, after, value);
  }
}
