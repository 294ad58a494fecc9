package dev.waybill.internal.job;

import dev.waybill.job.AttemptOutcome;
import dev.waybill.job.JobStatistics;
import dev.waybill.job.JobStatus;
import dev.waybill.spi.JobListener;
import java.time.Instant;
import java.util.EnumMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.LongAdder;

/** Counts what happens. Safe for use by many threads. */
final class JobCounters implements JobListener {
  private final LongAdder enqueued = new LongAdder();
  private final LongAdder claimed = new LongAdder();
  private final LongAdder retried = new LongAdder();
  private final LongAdder deadLettered = new LongAdder();
  private final LongAdder leasesLost = new LongAdder();
  private final LongAdder canceled = new LongAdder();
  private final LongAdder fired = new LongAdder();
  private final Map<AttemptOutcome, LongAdder> ended = new EnumMap<>(AttemptOutcome.class);

  JobCounters() {
    for (AttemptOutcome outcome : AttemptOutcome.values()) {
      ended.put(outcome, new LongAdder());
    }
  }

  JobStatistics snapshot() {
    return new JobStatistics(
        enqueued.sum(),
        claimed.sum(),
        ended(AttemptOutcome.SUCCEEDED).sum(),
        ended(AttemptOutcome.CONTINUED).sum(),
        retried.sum(),
        deadLettered.sum(),
        ended(AttemptOutcome.TIMEOUT).sum(),
        ended(AttemptOutcome.PANICKED).sum(),
        ended(AttemptOutcome.LEASE_EXPIRED).sum(),
        ended(AttemptOutcome.RELEASED).sum(),
        leasesLost.sum(),
        canceled.sum(),
        fired.sum());
  }

  private LongAdder ended(AttemptOutcome outcome) {
    return ended.computeIfAbsent(outcome, same -> new LongAdder());
  }

  @Override
  public void enqueued(String type, int jobs) {
    enqueued.add(jobs);
  }

  @Override
  public void claimed(String type, int jobs) {
    claimed.add(jobs);
  }

  @Override
  public void ended(Attempt attempt, End end) {
    ended(end.outcome()).increment();
    if (end.becomes() == JobStatus.DEAD_LETTERED) {
      deadLettered.increment();
    } else if (!end.becomes().isTerminal()
        && end.outcome() != AttemptOutcome.CONTINUED
        && end.outcome() != AttemptOutcome.RELEASED) {
      retried.increment();
    }
  }

  @Override
  public void leaseLost(Attempt attempt) {
    leasesLost.increment();
  }

  @Override
  public void canceled(UUID job, String type, String reason) {
    canceled.increment();
  }

  @Override
  public void fired(String schedule, Instant scheduledFor, UUID job) {
    fired.increment();
  }
}
