/**
 * Workflows: from the caller's transaction to the end of the run.
 *
 * <p><b>The start.</b> {@link dev.waybill.internal.workflow.WorkflowStarter} writes run, steps and
 * edges of a valid graph and makes jobs of its roots, with a handful of statements whatever the
 * size. All that a step needs to become a job is fixed there, so releasing it later needs nothing
 * but its row.
 *
 * <p><b>The way.</b> A step is a job with the same id and walks the job's path. Whoever ends it
 * (settler, reaper, an operator) locks the run first, then the job, and calls {@link
 * dev.waybill.internal.workflow.WorkflowReleaser} in the same transaction. {@link
 * dev.waybill.internal.workflow.Avalanche} is one such transaction: it counts down what waits,
 * releases or skips it, and rolls the run's status up; {@link
 * dev.waybill.internal.workflow.Expansion} makes the elements of map steps and the runs of
 * sub-workflows in it. Gates ({@link dev.waybill.internal.workflow.GateKeeper}), delays and
 * deadlines ({@link dev.waybill.internal.workflow.WorkflowTimekeeper}) end in the same way.
 *
 * <p><b>The lock.</b> The run's row, taken once in its final strength, before any job's; runs in
 * the order of their ids. Workers skip a run that somebody holds and come back; only callers wait.
 * Steps and edges are changed by nobody else, so they need no locks.
 *
 * <p><b>The end.</b> No open steps: succeeded, or failed if a step failed that may not. Canceled if
 * somebody said so ({@link dev.waybill.internal.workflow.WorkflowCanceler}); then its active key
 * stays taken until no handler can be at it any more. A run that a step started tells that step
 * ({@link dev.waybill.internal.workflow.Parents}), without waiting for whoever holds its parent.
 */
@NullMarked
package dev.waybill.internal.workflow;

import org.jspecify.annotations.NullMarked;
