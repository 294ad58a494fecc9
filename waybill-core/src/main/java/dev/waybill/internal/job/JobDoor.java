package dev.waybill.internal.job;

import dev.waybill.DatabaseException;
import dev.waybill.internal.sql.Database;
import dev.waybill.internal.sql.Endings;
import dev.waybill.internal.sql.Endings.Ending;
import dev.waybill.internal.sql.Session;
import dev.waybill.internal.sql.Tx;
import dev.waybill.internal.store.JobHistoryStore;
import dev.waybill.internal.store.JobListStore;
import dev.waybill.internal.store.JobStore;
import dev.waybill.job.DefinitionSync;
import dev.waybill.job.Enqueued;
import dev.waybill.job.JobAttempt;
import dev.waybill.job.JobDefinition;
import dev.waybill.job.JobEvent;
import dev.waybill.job.JobException.InvalidArgument;
import dev.waybill.job.JobFilter;
import dev.waybill.job.JobInfo;
import dev.waybill.job.JobLogEntry;
import dev.waybill.job.JobRequest;
import dev.waybill.job.JobStatistics;
import dev.waybill.job.JobStatus;
import dev.waybill.job.Jobs;
import dev.waybill.job.Replay;
import dev.waybill.job.Requeue;
import dev.waybill.job.Schedules;
import dev.waybill.job.Scope;
import java.sql.Connection;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;

/** The door: opens a transaction, or joins the caller's, and asks whoever knows. */
final class JobDoor implements Jobs {
  private static final int LARGEST_PAGE = 1000;
  private static final Duration LONGEST_AGE = Duration.ofDays(36_500);

  private final Database database;
  private final JobEnqueuer enqueuer;
  private final DefinitionCatalog catalog;
  private final JobOperations operations;
  private final Schedules schedules;
  private final JobDepartures departures;
  private final Endings endings;
  private final JobWakeups wakeups;
  private final JobNews news;

  JobDoor(
      Database database,
      JobEnqueuer enqueuer,
      DefinitionCatalog catalog,
      JobOperations operations,
      Schedules schedules,
      JobDepartures departures,
      Endings endings,
      JobWakeups wakeups,
      JobNews news) {
    this.database = database;
    this.enqueuer = enqueuer;
    this.catalog = catalog;
    this.operations = operations;
    this.schedules = schedules;
    this.departures = departures;
    this.endings = endings;
    this.wakeups = wakeups;
    this.news = news;
  }

  @Override
  public Enqueued enqueue(Connection connection, JobRequest request) {
    return enqueueAll(connection, List.of(request)).get(0);
  }

  @Override
  public List<Enqueued> enqueueAll(Connection connection, List<JobRequest> requests) {
    List<JobRequest> all = List.copyOf(requests);
    List<Enqueued> outcomes = enqueuer.enqueue(database.join(connection), all);
    Ending ending = endings.of(connection);
    if (ending != null) {
      ending.with(JobDeparture.class, departures::next).add(all, outcomes);
    }
    return outcomes;
  }

  @Override
  public Enqueued enqueue(JobRequest request) {
    List<JobRequest> only = List.of(request);
    JobDeparture departure = departures.next();
    boolean committed = false;
    try {
      Enqueued enqueued =
          database.transact(
              tx -> {
                departure.again();
                List<Enqueued> outcomes = enqueuer.enqueue(tx, only);
                departure.add(only, outcomes);
                departure.beforeCommit(tx);
                return outcomes.get(0);
              });
      committed = true;
      departure.committed();
      return enqueued;
    } finally {
      if (!committed) {
        departure.failed(false);
      }
    }
  }

  @Override
  public void wake() {
    wakeups.wake();
  }

  @Override
  public DefinitionSync syncDefinitions(Collection<JobDefinition> definitions) {
    return catalog.sync(definitions);
  }

  @Override
  public DefinitionSync syncDefinitionsExactly(
      Collection<JobDefinition> definitions, Set<String> ownedTypes) {
    return catalog.syncExactly(definitions, ownedTypes);
  }

  @Override
  public List<JobDefinition> definitions() {
    return catalog.all();
  }

  @Override
  public void setEnabled(String type, boolean enabled) {
    catalog.setEnabled(type, enabled);
    wake();
  }

  @Override
  public void setPaused(String type, boolean paused) {
    catalog.setPaused(type, paused);
    wake();
  }

  @Override
  public Set<String> pausedTypes() {
    return catalog.paused();
  }

  @Override
  public JobInfo cancel(Scope scope, UUID id, String reason) {
    JobInfo job = database.transact(tx -> operations.cancel(tx, scope, id, reason));
    news.canceled(job, reason);
    // A step's end may have released others; a resource may have become free.
    wake();
    return job;
  }

  @Override
  public Requeue.Outcome requeue(Requeue order) {
    Requeue.Outcome outcome = requeueOnce(order);
    wake();
    return outcome;
  }

  private Requeue.Outcome requeueOnce(Requeue order) {
    try {
      return database.transact(tx -> operations.requeue(tx, order));
    } catch (DatabaseException e) {
      if (e.kind() != DatabaseException.Kind.DUPLICATE) {
        throw e;
      }
      // Somebody enqueued with its key at that moment; now that one is there to be seen.
      return database.transact(tx -> operations.requeue(tx, order));
    }
  }

  @Override
  public Replay.Outcome replay(Replay order) {
    Replay.Outcome outcome = database.transact(tx -> operations.replay(tx, order));
    wake();
    return outcome;
  }

  @Override
  public Optional<JobInfo> find(Scope scope, UUID id) {
    return read(tx -> JobStore.in(tx).get(id)).filter(job -> JobOperations.isIn(scope, job));
  }

  @Override
  public Optional<JobInfo.Body> body(Scope scope, UUID id) {
    return read(
        tx ->
            JobStore.in(tx)
                .get(id)
                .filter(job -> JobOperations.isIn(scope, job))
                .flatMap(job -> JobStore.in(tx).body(id)));
  }

  @Override
  public Optional<JobInfo> findByKey(Scope scope, String type, String idempotencyKey) {
    if (scope instanceof Scope.Admin) {
      throw new InvalidArgument("job.scope", "A key belongs to one scope: say which.");
    }
    String hash = JobKeys.idempotency(type, JobEnqueuer.tenant(scope), idempotencyKey);
    return read(tx -> JobStore.in(tx).withKey(hash));
  }

  @Override
  public List<JobInfo> list(JobFilter filter) {
    return read(tx -> JobListStore.in(tx).page(filter));
  }

  /** On a snapshot: whoever only looks is in nobody's way. */
  private <T> T read(Function<Tx, T> work) {
    try (Session session = database.looking().session()) {
      return session.snapshot(work);
    }
  }

  @Override
  public List<JobAttempt> attempts(Scope scope, UUID id) {
    return ofJob(scope, id, tx -> JobHistoryStore.in(tx).attempts(id));
  }

  @Override
  public List<JobEvent> events(Scope scope, UUID id, long afterNumber, int limit) {
    checkPage(limit);
    return ofJob(scope, id, tx -> JobHistoryStore.in(tx).events(id, afterNumber, limit));
  }

  @Override
  public List<JobLogEntry> logs(Scope scope, UUID id, long afterNumber, int limit) {
    checkPage(limit);
    return ofJob(scope, id, tx -> JobHistoryStore.in(tx).logs(id, afterNumber, limit));
  }

  @Override
  public List<JobLogEntry> latestLogs(Scope scope, UUID id, long beforeNumber, int limit) {
    checkPage(limit);
    return ofJob(scope, id, tx -> JobHistoryStore.in(tx).latestLogs(id, beforeNumber, limit));
  }

  private <T> List<T> ofJob(Scope scope, UUID id, Function<Tx, List<T>> read) {
    return read(
        tx ->
            JobStore.in(tx)
                .get(id)
                .filter(job -> JobOperations.isIn(scope, job))
                .map(job -> read.apply(tx))
                .orElse(List.of()));
  }

  private static void checkPage(int limit) {
    if (limit < 1 || limit > LARGEST_PAGE) {
      throw new InvalidArgument(
          "job.invalid_pagination", "A page has 1 to 1000 entries, not " + limit + ".");
    }
  }

  @Override
  public long count(String type, JobStatus status, int atMost) {
    return read(tx -> JobListStore.in(tx).count(type, status, atMost));
  }

  @Override
  public int purge(JobStatus status, Duration olderThan, int atMost) {
    if (!status.isTerminal()) {
      throw new InvalidArgument(
          "job.purge_status", "Only ended jobs are purged, not " + status + ".");
    }
    if (olderThan.isNegative() || olderThan.compareTo(LONGEST_AGE) > 0) {
      throw new InvalidArgument(
          "job.purge_age", "Jobs ended between now and 100 years ago, not " + olderThan + ".");
    }
    checkPage(atMost);
    return database.transact(
        tx -> JobStore.in(tx).purge(status, olderThan.toNanos() / 1000, atMost));
  }

  @Override
  public JobStatistics statistics() {
    return news.statistics();
  }

  @Override
  public Schedules schedules() {
    return schedules;
  }
}
