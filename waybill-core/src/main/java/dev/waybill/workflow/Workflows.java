package dev.waybill.workflow;

import dev.waybill.job.Scope;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The door to workflows. Whatever takes a connection joins its transaction: it takes effect when
 * the caller commits, or not at all. Call {@link #wake} afterwards to have workers look at once.
 *
 * <p>Safe for use by many threads.
 */
public interface Workflows {
  /**
   * Starts a run in the caller's transaction, with a handful of statements whatever its size.
   *
   * @throws WorkflowException.DefinitionUnavailable if a job type is not defined or disabled
   * @throws WorkflowException.IdempotencyConflict if the key stands for another request
   */
  Started start(Connection connection, Workflow workflow);

  /** Starts a run in a transaction of its own. */
  Started start(Workflow workflow);

  /**
   * Completes a gate in the caller's transaction and releases what waits for it.
   *
   * @throws WorkflowException.WrongToken if the gate has another token
   * @throws WorkflowException.GateConflict if it was completed before, in another way
   * @throws WorkflowException.InvalidState if it is not open yet
   */
  GateCompletion.Outcome completeGate(Connection connection, GateCompletion completion);

  /** Completes a gate in a transaction of its own. */
  GateCompletion.Outcome completeGate(GateCompletion completion);

  /**
   * Adds steps to a run in the caller's transaction. With the connection that {@link
   * dev.waybill.job.JobResult.Success#inTransaction} gives, a step adds others when it succeeds.
   *
   * @throws WorkflowException.InvalidWorkflow if they do not fit the run
   * @throws WorkflowException.InvalidState if the run has ended
   * @throws WorkflowException.IdempotencyConflict if the key stands for other steps
   */
  Append.Outcome append(Connection connection, Append append);

  /** Adds steps in a transaction of its own. */
  Append.Outcome append(Append append);

  /**
   * Ends a run in the caller's transaction: what waits never runs, what runs is asked to stop. A
   * run that has ended stays as it is.
   */
  WorkflowInfo cancel(Connection connection, Scope scope, UUID run, String reason);

  /** Ends a run in a transaction of its own. */
  WorkflowInfo cancel(Scope scope, UUID run, String reason);

  /**
   * Begins a failed or canceled run again where it failed: what succeeded stays, every other step
   * is decided anew, and its job gets a new run that goes on from its checkpoint.
   *
   * @throws WorkflowException.InvalidState if it has not failed, a handler of a canceled step may
   *     still be at it, or another run has its active key now
   */
  WorkflowInfo retry(Scope scope, UUID run, String reason);

  /**
   * Runs a workflow that has ended once more, as a new run: all of it, or from a step on.
   *
   * @throws WorkflowException.InvalidState if it has not ended, or another run has its active key
   * @throws WorkflowException.IdempotencyConflict if the key stands for another order
   */
  Started rerun(Rerun order);

  /**
   * Undoes what a run that has ended did, by a new run, in the caller's transaction.
   *
   * @throws WorkflowException.InvalidState if it has not ended, a handler of a canceled step may
   *     still be at it, or none of the steps to undo has succeeded
   * @throws WorkflowException.IdempotencyConflict if it was compensated before, in another way
   * @throws WorkflowException.DefinitionUnavailable if a job type is not defined or disabled
   */
  Started compensate(Connection connection, Compensation order);

  /** Undoes what a run did, in a transaction of its own. */
  Started compensate(Compensation order);

  /**
   * Waits until a run has ended, and returns how it is; also if it has not when the time is over.
   * However many wait, the database is asked once for all of them.
   */
  WorkflowInfo await(Scope scope, UUID run, Duration timeout) throws InterruptedException;

  /** A run. */
  Optional<WorkflowInfo> find(Scope scope, UUID run);

  /** The run that has an idempotency key. */
  Optional<WorkflowInfo> findByKey(Scope scope, String type, String idempotencyKey);

  /** The run that has an active key. */
  Optional<WorkflowInfo> findActive(Scope scope, String activeKey);

  /** Runs, in the order that the filter tells. */
  List<WorkflowInfo> list(WorkflowFilter filter);

  /**
   * Gates that wait for somebody, those that have waited longest first; found by an index, however
   * many runs there are.
   *
   * @param after where the page before ended; null for the first
   * @param limit 1 to 1000
   */
  List<WaitingGate> waitingGates(Scope scope, WaitingGate.@Nullable Position after, int limit);

  /** The input and the result of a run. */
  Optional<WorkflowInfo.Body> body(Scope scope, UUID run);

  /** By what a run can be found. */
  Map<String, String> attributes(Scope scope, UUID run);

  /** The steps of a run, in the order in which they were given; empty if there is no such run. */
  List<StepInfo> steps(Scope scope, UUID run);

  /** The payload and the output of a step. */
  Optional<StepInfo.Body> stepBody(Scope scope, UUID run, String step);

  /** Deletes ended runs with all their steps and jobs, oldest first; returns how many. */
  int purge(WorkflowStatus status, Duration olderThan, int atMost);

  /**
   * Has workers look for work now: say this after a commit. It is done for what was stored with a
   * connection of {@code Outbox.inTransaction}, of a job's result, or of a transactional handler.
   */
  void wake();
}
