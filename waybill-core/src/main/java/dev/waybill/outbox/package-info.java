/**
 * The outbox: messages that exist exactly if your transaction commits, delivered in order.
 *
 * <p><b>The walk of a message.</b> You <i>enqueue</i> an {@link dev.waybill.outbox.EnqueueMessage}
 * on your own connection, beside your own writes: it is validated before any SQL, and stored by one
 * statement. After your commit the <i>sequencer</i> gives it the next number of its partition: 1,
 * 2, 3, … without gaps; what committed later is numbered later and never passed by. The
 * <i>processor</i> reads behind the partition's <i>cursor</i> and calls your handler with an {@link
 * dev.waybill.outbox.OutboxMessage}, one batch of a partition at a time, in the order of the
 * numbers:
 *
 * <ul>
 *   <li>a {@link dev.waybill.outbox.TransactionalHandler} runs in the database transaction that
 *       moves the cursor, so its writes happen exactly once;
 *   <li>a {@link dev.waybill.outbox.LeasedHandler} runs under a lease, outside any transaction, for
 *       the world beyond the database: at least once, fenced by the lease's epoch.
 * </ul>
 *
 * The handler answers: done, and the cursor moves; <i>retry</i>, and the same message comes again
 * later while its partition waits; <i>reject</i>, and that message becomes a <i>dead letter</i> and
 * the cursor moves; {@link dev.waybill.outbox.DeadLetters} has what operators do with those. Behind
 * the cursor the <i>vacuum</i> cleans up. A <i>reconciler</i> finds, with one cheap query, whatever
 * nobody announced.
 *
 * <p><b>Order and partitions.</b> Order holds within a partition; partitions are independent. A
 * message names its partition, or a key: equal keys always share a partition ({@link
 * dev.waybill.outbox.Partitions#partitionOf}).
 *
 * <p><b>Errors</b> are typed by who has to act: {@link dev.waybill.outbox.InvalidMessageException}
 * the producer, {@link dev.waybill.outbox.BatchMisuseException} the author of a handler, the cases
 * of {@link dev.waybill.outbox.OutboxException} itself whoever set the outbox up. No error text
 * contains a payload, a key or a header's value.
 */
@NullMarked
package dev.waybill.outbox;

import org.jspecify.annotations.NullMarked;
