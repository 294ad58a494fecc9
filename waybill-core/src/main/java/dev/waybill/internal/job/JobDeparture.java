package dev.waybill.internal.job;

import dev.waybill.internal.sql.Endings.Companion;
import dev.waybill.internal.sql.Tx;
import dev.waybill.job.Enqueued;
import dev.waybill.job.JobRequest;
import dev.waybill.job.JobStatus;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * How the jobs of one transaction get on their way. One that comes alone, and that nobody has to be
 * weighed against, is leased by its producer's own transaction, so its handler begins right after
 * that commit; otherwise the claimer is told. For one thread.
 */
final class JobDeparture implements Companion {
  private final JobDepartures ways;
  private final Set<String> types = new TreeSet<>();
  private int jobs;
  private @Nullable UUID ready;
  private @Nullable JobRun run;

  JobDeparture(JobDepartures ways) {
    this.ways = ways;
  }

  /** These were enqueued in the transaction. */
  void add(List<JobRequest> requests, List<Enqueued> outcomes) {
    String last = "";
    for (JobRequest request : requests) {
      if (!request.type().equals(last)) {
        last = request.type();
        types.add(last);
      }
    }
    jobs += requests.size();
    if (jobs > 1) {
      ready = null;
    } else if (!requests.isEmpty() && isDueAtOnce(requests.get(0), outcomes.get(0))) {
      ready = outcomes.get(0).id();
    }
  }

  private static boolean isDueAtOnce(JobRequest request, Enqueued outcome) {
    return outcome.outcome() == Enqueued.Outcome.INSERTED
        && outcome.status() == JobStatus.PENDING
        && request.resourceKey() == null;
  }

  /** The work is done once more, from its beginning. */
  void again() {
    failed(true);
    types.clear();
    jobs = 0;
    ready = null;
    run = null;
  }

  @Override
  public void beforeCommit(Tx tx) {
    if (ready != null) {
      run = ways.take(tx, ready, types);
    }
  }

  @Override
  public void committed() {
    if (run != null) {
      ways.go(run);
    } else if (!types.isEmpty()) {
      ways.announce(types, jobs);
    }
  }

  @Override
  public void failed(boolean known) {
    if (run != null) {
      ways.lost(run);
    }
  }
}
