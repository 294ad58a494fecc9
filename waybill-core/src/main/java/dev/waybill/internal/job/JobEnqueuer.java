package dev.waybill.internal.job;

import dev.waybill.internal.sql.Micros;
import dev.waybill.internal.sql.Tx;
import dev.waybill.internal.store.JobHistoryStore;
import dev.waybill.internal.store.JobStore;
import dev.waybill.internal.store.JobStore.KeyedJob;
import dev.waybill.internal.store.JobStore.NewJob;
import dev.waybill.job.Enqueued;
import dev.waybill.job.Enqueued.Outcome;
import dev.waybill.job.JobEvent;
import dev.waybill.job.JobException.DefinitionUnavailable;
import dev.waybill.job.JobException.IdempotencyConflict;
import dev.waybill.job.JobException.InvalidRequest;
import dev.waybill.job.JobException.RequestNotKept;
import dev.waybill.job.JobRequest;
import dev.waybill.job.JobStatus;
import dev.waybill.job.Scope;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Turns requests into rows of the caller's transaction. One statement inserts them all; only if
 * some have keys does a second one say which of them are new. A call that is refused leaves nothing
 * behind, although its transaction goes on.
 */
final class JobEnqueuer {
  /** Characters; even if each is four bytes, MariaDB takes it as it comes, 16 MiB. */
  private static final int STATEMENT_SIZE = 3_000_000;

  /** What there is about a job besides its payload and request, about. */
  private static final int ROW_SIZE = 200;

  /** Those with the same keys stay in the order they came. */
  private static final Comparator<NewJob> BY_KEYS =
      Comparator.<NewJob, String>comparing(
              job -> Objects.requireNonNullElse(job.idempotencyHash(), ""))
          .thenComparing(job -> Objects.requireNonNullElse(job.activeHash(), ""));

  private final JobIds ids;
  private final JobNews news;
  private final JobLoader loader;

  JobEnqueuer(JobIds ids, JobNews news) {
    this.ids = ids;
    this.news = news;
    this.loader = new JobLoader(ids);
  }

  List<Enqueued> enqueue(Tx tx, List<JobRequest> requests) {
    if (requests.isEmpty()) {
      return List.of();
    }
    Optional<List<Enqueued>> loaded = loader.load(tx, requests);
    if (loaded.isPresent()) {
      news.enqueued(requests.get(0).type(), requests.size());
      return loaded.get();
    }
    List<NewJob> jobs = new ArrayList<>();
    for (int i = 0; i < requests.size(); i++) {
      jobs.add(row(i, requests.get(i)));
    }
    boolean keyed =
        jobs.stream().anyMatch(job -> job.idempotencyHash() != null || job.activeHash() != null);
    List<List<NewJob>> pieces = pieces(keyed ? ordered(jobs) : jobs);
    boolean whole = pieces.size() == 1 && !(keyed && jobs.size() > 1);
    return whole
        ? enqueue(tx, requests, jobs, pieces, keyed)
        : tx.wholly(() -> enqueue(tx, requests, jobs, pieces, keyed));
  }

  private List<Enqueued> enqueue(
      Tx tx,
      List<JobRequest> requests,
      List<NewJob> jobs,
      List<List<NewJob>> pieces,
      boolean keyed) {
    JobStore store = JobStore.in(tx);
    int inserted = pieces.stream().mapToInt(store::insert).sum();
    if (!keyed && inserted == jobs.size()) {
      news.enqueued(jobs);
      List<Enqueued> all = new ArrayList<>();
      for (NewJob job : jobs) {
        all.add(new Enqueued(job.id(), likelyStatus(job), 1, Outcome.INSERTED));
      }
      return all;
    }
    Call call = new Call(tx, store, requests, jobs);
    List<Enqueued> outcomes = call.outcomes();
    news.enqueued(jobs.stream().filter(job -> call.own.containsKey(job.id())).toList());
    return outcomes;
  }

  /** Two calls with the same keys meet at the first of them, so neither waits for the other. */
  private static List<NewJob> ordered(List<NewJob> jobs) {
    return jobs.stream().sorted(BY_KEYS).toList();
  }

  /** As few statements as servers take: what one of them says has a largest size. */
  private static List<List<NewJob>> pieces(List<NewJob> jobs) {
    List<List<NewJob>> pieces = new ArrayList<>();
    int from = 0;
    long size = 0;
    for (int i = 0; i < jobs.size(); i++) {
      NewJob job = jobs.get(i);
      int own =
          ROW_SIZE + job.payload().length() + (job.request() == null ? 0 : job.request().length());
      if (i > from && size + own > STATEMENT_SIZE) {
        pieces.add(jobs.subList(from, i));
        from = i;
        size = 0;
      }
      size += own;
    }
    pieces.add(jobs.subList(from, jobs.size()));
    return pieces;
  }

  /** Without a question to the database: only a time far off or long gone is told apart. */
  private static JobStatus likelyStatus(NewJob job) {
    Long delay = job.delay();
    return job.due() != null || (delay != null && delay > 0)
        ? JobStatus.SCHEDULED
        : JobStatus.PENDING;
  }

  static void check(int index, String payload) {
    String complaint = Json.complaintAbout(payload);
    if (complaint != null) {
      throw new InvalidRequest("payload", "of request " + index + " " + complaint);
    }
  }

  private NewJob row(int index, JobRequest request) {
    check(index, request.payload());
    String type = request.type();
    String tenant = tenant(request.scope());
    return new NewJob(
        ids.next(),
        type,
        tenant,
        ifPresent(request.delay(), delay -> delay.toNanos() / 1000),
        ifPresent(request.dueAt(), Micros::of),
        request.priority(),
        request.maxAttempts(),
        ifPresent(request.timeout(), timeout -> timeout.toNanos() / 1000),
        request.stage(),
        request.resourceKey(),
        ifPresent(request.resourceKey(), JobKeys::resource),
        request.permits(),
        request.idempotencyKey(),
        ifPresent(request.idempotencyKey(), key -> JobKeys.idempotency(type, tenant, key)),
        ifPresent(request.uniqueKey(), key -> JobKeys.active(type, tenant, key)),
        request.idempotencyKey() == null ? null : RequestSnapshot.of(request),
        request.payload());
  }

  private static <T, R> @Nullable R ifPresent(@Nullable T value, Function<T, R> function) {
    return value == null ? null : function.apply(value);
  }

  static String tenant(Scope scope) {
    return Objects.requireNonNullElse(JobStore.tenantOrAny(scope), "");
  }

  /** A call of which not every request became a row of its own, or might not have. */
  private static final class Call {
    private final Tx tx;
    private final JobStore store;
    private final List<JobRequest> requests;
    private final List<NewJob> jobs;
    private final Map<UUID, JobStatus> own;

    Call(Tx tx, JobStore store, List<JobRequest> requests, List<NewJob> jobs) {
      this.tx = tx;
      this.store = store;
      this.requests = requests;
      this.jobs = jobs;
      this.own = store.present(jobs.stream().map(NewJob::id).toList());
    }

    List<Enqueued> outcomes() {
      Map<String, KeyedJob> byKey = existing();
      List<Enqueued> outcomes = new ArrayList<>();
      for (int i = 0; i < jobs.size(); i++) {
        NewJob job = jobs.get(i);
        JobStatus status = own.get(job.id());
        outcomes.add(
            status != null
                ? new Enqueued(job.id(), status, 1, Outcome.INSERTED)
                : existing(requests.get(i), job, byKey));
      }
      return outcomes;
    }

    /** Those who have the keys of the requests that became no rows. */
    private Map<String, KeyedJob> existing() {
      List<String> forGood = new ArrayList<>();
      List<String> whileActive = new ArrayList<>();
      for (NewJob job : jobs) {
        if (!own.containsKey(job.id())) {
          add(forGood, job.idempotencyHash());
          add(whileActive, job.activeHash());
        }
      }
      Map<String, KeyedJob> byKey = new HashMap<>();
      if (!forGood.isEmpty()) {
        store
            .byIdempotency(forGood)
            .forEach(job -> byKey.put(String.valueOf(job.idempotencyHash()), job));
      }
      if (!whileActive.isEmpty()) {
        store
            .byActive(whileActive)
            .forEach(job -> byKey.put(String.valueOf(job.activeHash()), job));
      }
      return byKey;
    }

    private static void add(List<String> hashes, @Nullable String hash) {
      if (hash != null) {
        hashes.add(hash);
      }
    }

    private Enqueued existing(JobRequest request, NewJob job, Map<String, KeyedJob> byKey) {
      KeyedJob same = byKey.get(String.valueOf(job.idempotencyHash()));
      if (same != null) {
        String snapshot = String.valueOf(job.request());
        String before = same.request();
        if (before == null) {
          store.discard(own.keySet());
          throw new RequestNotKept(request.type(), same.id());
        }
        if (!snapshot.equals(before)) {
          store.discard(own.keySet());
          throw new IdempotencyConflict(
              request.type(), same.id(), RequestSnapshot.differences(snapshot, before));
        }
        return new Enqueued(same.id(), same.status(), same.run(), Outcome.EXISTING);
      }
      KeyedJob active = byKey.get(String.valueOf(job.activeHash()));
      if (active == null) {
        return onceMore(request, job);
      }
      return request.replacePending()
          ? replaced(request, active)
          : new Enqueued(active.id(), active.status(), active.run(), Outcome.EXISTING);
    }

    /**
     * Nobody has its keys, and yet it was not inserted. Either its type is not to be had, or who
     * had a key gave it up between the two looks; in that case there is room for it now.
     */
    private Enqueued onceMore(JobRequest request, NewJob job) {
      if (job.idempotencyHash() != null || job.activeHash() != null) {
        store.insert(List.of(job));
        JobStatus status = store.present(List.of(job.id())).get(job.id());
        if (status != null) {
          own.put(job.id(), status);
          return new Enqueued(job.id(), status, 1, Outcome.INSERTED);
        }
      }
      store.discard(own.keySet());
      throw new DefinitionUnavailable(request.type());
    }

    private Enqueued replaced(JobRequest request, KeyedJob active) {
      boolean done =
          store.replace(active.id(), request.payload(), request.dueAt(), request.delay());
      if (done) {
        JobHistoryStore.in(tx)
            .event(active.id(), active.run(), 0, JobEvent.Kind.REPLACED, "a later request");
      }
      return new Enqueued(
          active.id(), active.status(), active.run(), done ? Outcome.REPLACED : Outcome.EXISTING);
    }
  }
}
