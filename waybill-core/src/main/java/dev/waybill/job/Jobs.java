package dev.waybill.job;

import java.sql.Connection;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/** The door to durable jobs. Safe for use by many threads. */
public interface Jobs {
  /**
   * Enqueues in the caller's transaction: the job exists if and when that commits.
   *
   * @throws JobException.DefinitionUnavailable if the type is not defined or is disabled
   * @throws JobException.IdempotencyConflict if the key stands for another request
   */
  Enqueued enqueue(Connection connection, JobRequest request);

  /** Enqueues many with one statement, all or none. */
  List<Enqueued> enqueueAll(Connection connection, List<JobRequest> requests);

  /** Enqueues in a transaction of its own. */
  Enqueued enqueue(JobRequest request);

  /**
   * Workers of this process look for jobs now: say this after a commit. It is done for what was
   * enqueued with a connection of {@code Outbox.inTransaction}, of a job's result, or of a
   * transactional handler.
   */
  void wake();

  /** Adds definitions and brings owned fields up to date. An operator's disabling stays. */
  DefinitionSync syncDefinitions(Collection<JobDefinition> definitions);

  /**
   * Like {@link #syncDefinitions}, and the types of the scope that are not defined any more are
   * disabled, and those that are get exactly the enabled state that they say.
   */
  DefinitionSync syncDefinitionsExactly(
      Collection<JobDefinition> definitions, Set<String> ownedTypes);

  /** What is defined in this database. */
  List<JobDefinition> definitions();

  /** Enables or disables a type: whether its jobs may be enqueued and claimed. */
  void setEnabled(String type, boolean enabled);

  /** Pauses or resumes the claiming of a type. Survives restarts and synchronisations. */
  void setPaused(String type, boolean paused);

  /** Which types are paused. */
  Set<String> pausedTypes();

  /**
   * Cancels a job that waits or runs. A running handler is told within a second, in whichever
   * process it is.
   *
   * @throws JobException.JobNotFound if there is none in this scope
   * @throws JobException.InvalidTransition if it has ended already
   */
  JobInfo cancel(Scope scope, UUID id, String reason);

  /** Runs an ended job again, if it is what was expected. */
  Requeue.Outcome requeue(Requeue order);

  /** Runs a succeeded job once more as a new one. */
  Replay.Outcome replay(Replay order);

  /** A job. */
  Optional<JobInfo> find(Scope scope, UUID id);

  /** The JSON of a job. */
  Optional<JobInfo.Body> body(Scope scope, UUID id);

  /** What a key stands for. */
  Optional<JobInfo> findByKey(Scope scope, String type, String idempotencyKey);

  /**
   * A page of jobs. A status is found by its index, however many other jobs there are and however
   * old they are, and {@link JobFilter} tells in which order; the other filters look at those jobs
   * one by one.
   */
  List<JobInfo> list(JobFilter filter);

  /** The ended attempts of a job, oldest first. */
  List<JobAttempt> attempts(Scope scope, UUID id);

  /** What happened to a job besides its attempts, after that number. */
  List<JobEvent> events(Scope scope, UUID id, long afterNumber, int limit);

  /** What its handlers had to say, after that number. */
  List<JobLogEntry> logs(Scope scope, UUID id, long afterNumber, int limit);

  /**
   * What its handlers said last, the newest first, before that number; {@link Long#MAX_VALUE} for
   * the very last.
   */
  List<JobLogEntry> latestLogs(Scope scope, UUID id, long beforeNumber, int limit);

  /**
   * How many jobs of a type are in a status, up to {@code atMost}. Never looks at all of them: of
   * jobs that are not pending, the databases without an index for it look at the 10,000 that are
   * due next or ended last.
   */
  long count(String type, JobStatus status, int atMost);

  /**
   * Deletes ended jobs of a status and everything about them, oldest first, in one go. Jobs that
   * are steps of a workflow are purged with their run.
   */
  int purge(JobStatus status, Duration olderThan, int atMost);

  /** What this process has done since it started. */
  JobStatistics statistics();

  /** Jobs that come back. */
  Schedules schedules();
}
