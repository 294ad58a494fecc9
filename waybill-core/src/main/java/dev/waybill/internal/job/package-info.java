/**
 * Jobs: from the caller's transaction to the handler and back.
 *
 * <p><b>The row.</b> A job is one row with a status. <i>Scheduled</i> (due later) and
 * <i>pending</i> (due) are different statuses, so the index that claims read contains only what
 * could be claimed now; {@link dev.waybill.internal.job.JobStager} moves jobs from one to the
 * other. Pending jobs of a type and a tenant stand in one line, ordered by their <i>turn</i>: the
 * due time less a minute per point of priority. As all jobs age at the same speed, that order never
 * changes, so priority with ageing is an index, and nothing starves. Tenants share the slots of a
 * process ({@link dev.waybill.internal.job.TenantRounds}). An attempt becomes a row of its own when
 * it has ended and another may follow; while it is in progress, and when it has succeeded, the
 * job's row says all about it. Dead letters are jobs in a status, not copies.
 *
 * <p><b>The freight.</b> On PostgreSQL jobs that came in bulk, alike but for their payloads ({@link
 * dev.waybill.internal.job.JobLoader}), share rows, which know nothing but success. Whatever else
 * is to be done to one of them, or has to be weighed, makes rows of them first; so what is said
 * here of rows holds for whoever is not just succeeding.
 *
 * <p><b>The lease.</b> A claim ({@link dev.waybill.internal.job.JobClaimer}, {@link
 * dev.waybill.internal.job.ClaimPlan}) writes worker, attempt and the end of the lease into the
 * row. From then on the <i>fence</i> (job, run, attempt, worker) and a live lease are the condition
 * of every write on behalf of the attempt: heartbeat, progress, log and settling lock the row first
 * and compare with the database's clock afterwards. The process counts its leases from before it
 * asked, on its own monotonic clock, and so gives up first ({@link
 * dev.waybill.internal.job.JobTimekeeper}).
 *
 * <p><b>Alone.</b> A job that comes alone, in a transaction whose end is in our hands, is leased by
 * that transaction itself, right before its commit, and its handler begins right after it: {@link
 * dev.waybill.internal.job.JobDeparture}. Those that come fast are claimed together: {@link
 * dev.waybill.internal.job.DeparturePace}.
 *
 * <p><b>The end.</b> {@link dev.waybill.internal.job.JobRunner} turns whatever a handler does into
 * an {@link dev.waybill.internal.job.Ending}; {@link dev.waybill.internal.job.Verdict} alone
 * decides what becomes of the job, for the settler as for the reaper. {@link
 * dev.waybill.internal.job.JobSettler} writes as many endings in a transaction as have gathered
 * while the one before was on its way. A write that fails for want of a database is repeated while
 * the lease lives; if the first try had taken effect unseen, the fence does not match any more and
 * nothing happens twice.
 *
 * <p><b>The dead.</b> A process that gives no sign of life loses its leases to {@link
 * dev.waybill.internal.job.JobReaper}. A claim whose commit got no answer is looked up and given
 * back, because its worker knows that it began nothing.
 *
 * <p><b>Once.</b> Ids are made here, before the insert. So "did my insert take effect?" is a
 * question about an id, whatever the driver counts: {@link dev.waybill.internal.job.JobEnqueuer}
 * needs one statement, and a second one only for keys.
 */
@NullMarked
package dev.waybill.internal.job;

import org.jspecify.annotations.NullMarked;
