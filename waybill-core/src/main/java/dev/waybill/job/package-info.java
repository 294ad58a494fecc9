/**
 * Durable jobs in your own database: enqueued in your transaction, run at least once by whichever
 * process has a handler, retried, dead-lettered, canceled and scheduled.
 *
 * <p>A {@link dev.waybill.job.JobDefinition} says what a type of job may do and lives in the
 * database, so that a producer needs no handler. {@link dev.waybill.job.Jobs} is the door.
 */
@NullMarked
package dev.waybill.job;

import org.jspecify.annotations.NullMarked;
