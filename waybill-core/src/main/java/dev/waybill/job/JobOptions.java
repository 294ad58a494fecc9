package dev.waybill.job;

import java.time.Duration;

/**
 * How this process works on jobs.
 *
 * @param worker the name under which it leases jobs; unique among all processes
 * @param concurrency how many handlers run at the same time
 * @param batch how many jobs are claimed or settled in one transaction
 * @param lease how long a job stays this process's without a sign of life
 * @param poll how often to look for jobs that nobody announced, while there have been some lately
 * @param idlePoll the same when there have been none for a while
 * @param reap how often to look for jobs whose process has died
 * @param cancelGrace how long a handler may take to stop by itself before it is interrupted
 */
public record JobOptions(
    String worker,
    int concurrency,
    int batch,
    Duration lease,
    Duration poll,
    Duration idlePoll,
    Duration reap,
    Duration cancelGrace) {
  public JobOptions {
    require(JobNames.complaintAbout(worker, 255) == null, "worker", "must be a name");
    require(concurrency >= 1 && concurrency <= 100_000, "concurrency", "must be at least 1");
    require(batch >= 1 && batch <= 1000, "batch", "must be between 1 and 1000");
    require(lease.toMillis() >= 100, "lease", "must be at least 100 ms");
    require(lease.compareTo(Duration.ofDays(1)) <= 0, "lease", "must be at most a day");
    positive("poll", poll);
    require(idlePoll.compareTo(poll) >= 0, "idlePoll", "must not be shorter than poll");
    positive("idlePoll", idlePoll);
    positive("reap", reap);
    require(!cancelGrace.isNegative(), "cancelGrace", "must not be negative");
    require(cancelGrace.compareTo(Duration.ofDays(1)) <= 0, "cancelGrace", "must be at most a day");
  }

  private static void positive(String field, Duration value) {
    require(
        value.toMillis() > 0 && value.compareTo(Duration.ofDays(1)) <= 0,
        field,
        "must be between a millisecond and a day");
  }

  private static void require(boolean valid, String field, String complaint) {
    if (!valid) {
      throw new JobException.InvalidArgument(
          "job.invalid_option", "Job option " + field + " " + complaint + ".");
    }
  }

  /** 32 handlers, leases of a minute, a look every half second to two seconds. */
  public static JobOptions of(String worker) {
    return new JobOptions(
        worker,
        32,
        100,
        Duration.ofSeconds(60),
        Duration.ofMillis(500),
        Duration.ofSeconds(2),
        Duration.ofSeconds(15),
        Duration.ofSeconds(5));
  }

  /** With so many handlers at the same time. */
  public JobOptions withConcurrency(int value) {
    return new JobOptions(worker, value, batch, lease, poll, idlePoll, reap, cancelGrace);
  }

  /** With so many jobs in one transaction. */
  public JobOptions withBatch(int value) {
    return new JobOptions(worker, concurrency, value, lease, poll, idlePoll, reap, cancelGrace);
  }

  /** With another lease. */
  public JobOptions withLease(Duration value) {
    return new JobOptions(worker, concurrency, batch, value, poll, idlePoll, reap, cancelGrace);
  }

  /** With other intervals of looking for jobs. */
  public JobOptions withPoll(Duration busy, Duration idle) {
    return new JobOptions(worker, concurrency, batch, lease, busy, idle, reap, cancelGrace);
  }

  /** With another interval of looking for the jobs of the dead. */
  public JobOptions withReap(Duration value) {
    return new JobOptions(worker, concurrency, batch, lease, poll, idlePoll, value, cancelGrace);
  }

  /** With another time for handlers to stop by themselves. */
  public JobOptions withCancelGrace(Duration value) {
    return new JobOptions(worker, concurrency, batch, lease, poll, idlePoll, reap, value);
  }
}
