package dev.waybill.internal.job;

import dev.waybill.internal.store.JobLeaseStore.Claim;
import dev.waybill.internal.store.JobLeaseStore.Fence;
import dev.waybill.internal.store.JobLeaseStore.Settled;
import dev.waybill.internal.store.JobStore.NewJob;
import dev.waybill.job.JobInfo;
import dev.waybill.job.JobStatistics;
import dev.waybill.job.JobStatus;
import dev.waybill.spi.JobListener;
import dev.waybill.spi.JobListener.Attempt;
import dev.waybill.spi.JobListener.End;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells the listeners what becomes of jobs, and the log what an operator should see. */
final class JobNews {
  private static final Logger log = LoggerFactory.getLogger("dev.waybill.jobs");

  private final JobCounters counters = new JobCounters();
  private final List<JobListener> listeners;

  JobNews(List<JobListener> others) {
    this.listeners = Stream.concat(Stream.of(counters), others.stream()).toList();
  }

  JobStatistics statistics() {
    return counters.snapshot();
  }

  void enqueued(List<NewJob> jobs) {
    byType(jobs.stream().map(NewJob::type))
        .forEach((type, count) -> tell(listener -> listener.enqueued(type, count)));
  }

  void enqueued(String type, int count) {
    tell(listener -> listener.enqueued(type, count));
  }

  void claimed(List<Claim> claims) {
    byType(claims.stream().map(Claim::type))
        .forEach((type, count) -> tell(listener -> listener.claimed(type, count)));
  }

  private static Map<String, Integer> byType(Stream<String> types) {
    Map<String, Integer> counts = new TreeMap<>();
    types.forEach(type -> counts.merge(type, 1, Integer::sum));
    return counts;
  }

  void started(JobRun run) {
    Attempt attempt = attempt(run);
    tell(listener -> listener.started(attempt));
  }

  void ended(List<Settled> all) {
    for (Settled each : all) {
      Fence fence = each.lease().fence();
      Attempt attempt = new Attempt(fence.id(), each.lease().type(), fence.run(), fence.attempt());
      End end =
          new End(
              each.outcome(),
              each.status(),
              each.errorCode(),
              each.status().isTerminal() ? null : each.dueAt(),
              Duration.between(each.lease().leasedAt(), each.lease().now()));
      if (each.status() == JobStatus.DEAD_LETTERED) {
        log.warn(
            "Job {} of type {} is a dead letter now: {} after {} attempts",
            attempt.job(),
            attempt.type(),
            each.errorCode(),
            attempt.attempt());
      }
      tell(listener -> listener.ended(attempt, end));
    }
  }

  void leaseLost(JobRun run) {
    Attempt attempt = attempt(run);
    tell(listener -> listener.leaseLost(attempt));
  }

  private static Attempt attempt(JobRun run) {
    Fence fence = run.fence();
    return new Attempt(fence.id(), run.claim().type(), fence.run(), fence.attempt());
  }

  void canceled(JobInfo job, String reason) {
    tell(listener -> listener.canceled(job.id(), job.type(), reason));
  }

  void fired(String schedule, Instant scheduledFor, UUID job) {
    tell(listener -> listener.fired(schedule, scheduledFor, job));
  }

  private void tell(Consumer<JobListener> event) {
    for (JobListener listener : listeners) {
      try {
        event.accept(listener);
      } catch (RuntimeException | Error e) {
        log.error("The listener {} failed", listener, Wording.readable(e));
      }
    }
  }
}
