/**
 * Workflows: graphs of jobs, gates and delays in the service's own database.
 *
 * <p>{@link dev.waybill.workflow.Workflow} describes one, {@link dev.waybill.workflow.Workflows} is
 * the door. A step is a job: it is claimed, retried and dead-lettered like any other. It becomes
 * one in the transaction in which the last of its prerequisites ends, so a crash leaves the graph
 * before or after that, never between.
 */
@NullMarked
package dev.waybill.workflow;

import org.jspecify.annotations.NullMarked;
