package dev.waybill.internal.job;

import dev.waybill.internal.sql.Tx;
import dev.waybill.internal.store.JobFreightStore;
import dev.waybill.internal.store.JobFreightStore.Alike;
import dev.waybill.internal.store.Loading;
import dev.waybill.job.Enqueued;
import dev.waybill.job.Enqueued.Outcome;
import dev.waybill.job.JobRequest;
import dev.waybill.job.JobStatus;
import dev.waybill.job.Scope;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;

/**
 * Enqueues many jobs that are alike but for their payloads as freights, several in a row of the
 * database. Only what is global: a tenant's jobs have to be weighed against those of others, one by
 * one.
 */
final class JobLoader {
  /**
   * Fewer do not pay: a job alone departs with its commit, and a few are claimed at once anyway.
   */
  static final int FEWEST = 8;

  /** Characters of a payload on average: beyond it a row is mostly payload, and gains nothing. */
  private static final int LARGEST = 4_096;

  /** Bytes of a statement. */
  private static final int STATEMENT_SIZE = 3_000_000;

  private final JobIds ids;

  JobLoader(JobIds ids) {
    this.ids = ids;
  }

  /**
   * Empty, and nothing is done, if they are not alike, or their type has limits or is not to be
   * had.
   */
  Optional<List<Enqueued>> load(Tx tx, List<JobRequest> requests) {
    if (requests.size() < FEWEST || !JobFreightStore.isKnownTo(tx) || !areAlike(requests)) {
      return Optional.empty();
    }
    long characters = characters(requests);
    if (characters > (long) LARGEST * requests.size()) {
      return Optional.empty();
    }
    JobRequest any = requests.get(0);
    Alike alike =
        new Alike(
            any.type(),
            any.priority(),
            any.maxAttempts(),
            any.timeout() == null ? null : any.timeout().toNanos() / 1000,
            any.stage());
    List<Enqueued> outcomes = new ArrayList<>(requests.size());
    List<Loading> loadings = new ArrayList<>();
    Loading loading = null;
    for (int i = 0; i < requests.size(); i++) {
      String payload = requests.get(i).payload();
      JobEnqueuer.check(i, payload);
      if (loading == null || loading.size() > STATEMENT_SIZE) {
        loading = new Loading(ids::nextFreight, (int) Math.min(characters, STATEMENT_SIZE));
        loadings.add(loading);
      }
      UUID id = loading.add(payload);
      outcomes.add(new Enqueued(id, JobStatus.PENDING, 1, Outcome.INSERTED));
    }
    return insert(tx, alike, loadings) ? Optional.of(outcomes) : Optional.empty();
  }

  /** All of them or none: what may be done with a type can change between two statements. */
  private static boolean insert(Tx tx, Alike alike, List<Loading> loadings) {
    JobFreightStore store = JobFreightStore.in(tx);
    if (loadings.size() == 1) {
      return store.insert(alike, loadings.get(0));
    }
    try {
      return tx.wholly(
          () -> {
            for (Loading each : loadings) {
              if (!store.insert(alike, each)) {
                throw new Refused();
              }
            }
            return true;
          });
    } catch (Refused refused) {
      return false;
    }
  }

  /** Takes back what was inserted before. */
  private static final class Refused extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Refused() {
      super("The type is not to be had, or has limits", null, false, false);
    }
  }

  private static boolean areAlike(List<JobRequest> requests) {
    JobRequest any = requests.get(0);
    for (JobRequest each : requests) {
      if (!isPlain(each) || !isAlike(each, any)) {
        return false;
      }
    }
    return true;
  }

  private static long characters(List<JobRequest> requests) {
    long sum = 0;
    for (JobRequest each : requests) {
      sum += each.payload().length();
    }
    return sum;
  }

  /** Due at once, of nobody in particular, and without keys. */
  private static boolean isPlain(JobRequest request) {
    return request.scope() instanceof Scope.Global
        && request.dueAt() == null
        && request.delay() == null
        && request.resourceKey() == null
        && request.idempotencyKey() == null
        && request.uniqueKey() == null;
  }

  private static boolean isAlike(JobRequest one, JobRequest other) {
    return one.type().equals(other.type())
        && one.stage().equals(other.stage())
        && Objects.equals(one.priority(), other.priority())
        && Objects.equals(one.maxAttempts(), other.maxAttempts())
        && Objects.equals(one.timeout(), other.timeout());
  }
}
