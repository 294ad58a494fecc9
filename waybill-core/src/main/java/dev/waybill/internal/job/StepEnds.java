package dev.waybill.internal.job;

import dev.waybill.internal.sql.Tx;
import dev.waybill.internal.store.JobLeaseStore.Settled;
import dev.waybill.job.JobStatus;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What the end of a job means to the workflow whose step it is. Whoever ends jobs asks for the
 * locks of their runs first, then locks the jobs, and tells about the ends in the same transaction.
 */
public interface StepEnds {
  /** Without workflows: jobs that are steps stay as they are. */
  StepEnds NONE = (tx, workflows, wait) -> Held.NOTHING;

  /**
   * The end of a job that is a step.
   *
   * @param step also the job's id
   */
  record End(
      UUID workflow,
      UUID step,
      JobStatus status,
      @Nullable String output,
      @Nullable String code,
      @Nullable String message,
      @Nullable String reason) {}

  /** Locks runs: those it can get, which are all if it may wait. */
  Held lock(Tx tx, Collection<UUID> workflows, boolean wait);

  /**
   * Runs that are locked in a transaction, as they were then. Once one of them has changed, whoever
   * goes on asks for the lock again, which is there already, and sees it as it is.
   */
  interface Held {
    /** None. */
    Held NOTHING =
        new Held() {
          @Override
          public Set<UUID> runs() {
            return Set.of();
          }

          @Override
          public void ended(List<End> ends) {
            throw new IllegalStateException("Steps cannot end whose runs are not locked");
          }
        };

    /** Which. */
    Set<UUID> runs();

    /** Jobs of theirs have ended; told once. */
    void ended(List<End> ends);

    /** Whether something that follows from these ends begins or ends at some time. */
    default boolean setTimers() {
      return false;
    }

    /** Tells about those of these that have ended and are steps. */
    default void settled(List<Settled> all) {
      List<End> ends =
          all.stream()
              .filter(each -> each.status().isTerminal() && each.lease().workflow() != null)
              .map(
                  each ->
                      new End(
                          Objects.requireNonNull(each.lease().workflow()),
                          each.lease().fence().id(),
                          each.status(),
                          each.output(),
                          each.errorCode(),
                          each.errorMessage(),
                          each.reason()))
              .toList();
      if (!ends.isEmpty()) {
        ended(ends);
      }
    }
  }
}
