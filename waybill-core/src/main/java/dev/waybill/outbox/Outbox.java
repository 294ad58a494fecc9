package dev.waybill.outbox;

import java.sql.Connection;
import java.util.List;

/**
 * The door for producers and operators. Safe for use by many threads.
 *
 * <p>A message is part of the transaction of the connection it is enqueued with: it exists if and
 * only if that transaction commits. The connection must not be in auto-commit mode.
 */
public interface Outbox {
  /**
   * Enqueues a message in the caller's transaction.
   *
   * @throws InvalidMessageException if it is not fit to be enqueued
   * @throws OutboxException.QueueNotRegistered if nobody named the queue
   * @throws dev.waybill.TransactionRequiredException if the connection has no transaction to join
   */
  Enqueued enqueue(Connection connection, String queue, EnqueueMessage message);

  /** Enqueues messages, all or none, in their order; see {@link #enqueue}. */
  Enqueued enqueueBatch(Connection connection, String queue, List<EnqueueMessage> messages);

  /**
   * Does the work in a transaction of its own, commits it, and flushes what was enqueued with its
   * connection; jobs and workflows, too.
   *
   * @throws Exception what the work throws; then the transaction was rolled back
   */
  void inTransaction(TransactionWork work) throws Exception;

  /**
   * The same, and enqueues what the work returns as the last thing of the transaction. PostgreSQL
   * does that and the commit in one round trip, so this is the cheapest way to send messages about
   * what a transaction has changed.
   *
   * @return of the messages; they are committed and flushed
   * @throws InvalidMessageException if one is not fit to be enqueued; then the transaction was
   *     rolled back, as after any other error
   * @throws OutboxException.QueueNotRegistered if nobody named the queue; then nothing was done
   * @throws Exception what the work throws
   */
  Enqueued inTransaction(String queue, MessageWork work) throws Exception;

  /** Looks for work at once, as the reconciler does from time to time. */
  void flush();

  /**
   * Stops the delivery of a queue, in all processes, until it is resumed. Batches that are being
   * handled are finished. The queue need not be one of this process's own.
   *
   * @throws OutboxException.QueueNotRegistered if the database knows no such queue
   */
  void pause(String queue);

  /** Stops the delivery of one partition, in all processes, until it is resumed. */
  void pause(String queue, int partition);

  /** Lets the delivery of a queue go on. */
  void resume(String queue);

  /** Lets the delivery of one partition go on. */
  void resume(String queue, int partition);

  /** How every queue of the database stands, those of other processes included: one cheap query. */
  List<QueueStatus> status();

  /**
   * Reads what waits in a partition, in order, without taking it: at most so many messages beyond a
   * number (0: from the first that waits), fewer if they are large. Messages that have no number
   * yet, that are delayed or that are parked are not among them.
   *
   * @throws OutboxException.QueueNotRegistered if the database knows no such queue
   */
  List<OutboxMessage> peek(String queue, int partition, long afterSeq, int atMost);

  /**
   * What processes did with the queues lately, whichever process is asked: one cheap query. Those
   * that wrote nothing down for five minutes, because they did nothing or are gone, are not among
   * them.
   */
  List<RecentDeliveries> recentDeliveries();

  /** What this process has done since it started. */
  OutboxStatistics statistics();

  /**
   * Gives a queue more partitions. Keys then move, so their order across the change holds only if
   * the queue is empty and nobody enqueues meanwhile. Processes that run with the old number refuse
   * to start again until they name the new one.
   *
   * @throws OutboxException.PartitionCountMismatch if it has more already
   */
  void grow(String queue, Partitions partitions);

  /** What was given up, and what to do with it. */
  DeadLetters deadLetters();
}
