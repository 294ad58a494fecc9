package dev.waybill.outbox;

import java.sql.Connection;
import java.time.Duration;
import java.util.Collection;
import java.util.List;

/**
 * What operators do with messages that were given up. Safe for use by many threads and processes:
 * unless you give it a connection, each operation is a transaction of its own, and when several are
 * busy with the same dead letters, each gets others. None concerns more than the filter's limit,
 * which has a default: call again until nothing is left.
 *
 * <p>To deal with them yourself, <i>claim</i> some, do the work, and <i>resolve</i> them, or
 * <i>reject</i> them with the reason why it failed again. To have them delivered again,
 * <i>requeue</i> them.
 */
public interface DeadLetters {
  /** The header of a requeued message: the id of the message it is made of. */
  String REQUEUE_HEADER = "waybill-requeue-of";

  /** The dead letters that meet the filter, those that failed last first. */
  List<DeadLetter> list(DeadLetterFilter filter);

  /** How many meet the filter, whatever its limit. */
  long count(DeadLetterFilter filter);

  /**
   * Takes up dead letters that are free: pending, or claimed with a passed deadline. Nobody else
   * gets them before the timeout is over. Those whose claim was abandoned come first, then those
   * that failed first.
   *
   * @param timeout longer than zero; by the database's clock
   */
  DeadLetterClaim claim(DeadLetterFilter filter, Duration timeout);

  /** Ends a claim: everything in it was dealt with; see {@link #resolve(String, Collection)}. */
  int resolve(DeadLetterClaim claim);

  /**
   * Says that claimed dead letters were dealt with.
   *
   * @param token of the claim
   * @return how many were resolved: those of the ids that the claim still holds
   * @throws DeadLetterException.ClaimLost if it holds none of them
   */
  int resolve(String token, Collection<Long> ids);

  /**
   * Says in the caller's transaction that claimed dead letters were dealt with: what was done about
   * them in the same database and this are then one. The connection must not be in auto-commit
   * mode; roll back if this throws.
   *
   * @param token of the claim
   * @return how many will be resolved: those of the ids that the claim still holds
   * @throws DeadLetterException.ClaimLost if it holds none of them
   * @throws dev.waybill.TransactionRequiredException if the connection has no transaction to join
   */
  int resolve(Connection connection, String token, Collection<Long> ids);

  /** Ends a claim: everything in it failed; see {@link #reject(String, Collection, String)}. */
  int reject(DeadLetterClaim claim, String reason);

  /**
   * Gives claimed dead letters back, because they failed again: they are pending with one more
   * attempt, this reason, and this moment as the time of their failure.
   *
   * @param token of the claim
   * @return how many were given back: those of the ids that the claim still holds
   * @throws DeadLetterException.ClaimLost if it holds none of them
   */
  int reject(String token, Collection<Long> ids, String reason);

  /** Gives up free dead letters for good. They stay, as discarded, until a clean-up. */
  int discard(DeadLetterFilter filter);

  /**
   * Makes free dead letters messages again and resolves them, all in one transaction: each of them
   * becomes one new message, whoever else does so at the same time. A message gets a new id and is
   * the last one of the partition it was in; it keeps its type, key, payload and headers and gets
   * the header {@value #REQUEUE_HEADER}. A dead letter whose body was lost has nothing to deliver
   * and is left alone.
   *
   * @return how many there are
   */
  int requeue(DeadLetterFilter filter);

  /**
   * Removes dead letters that were resolved or discarded at least so long ago. {@link
   * OutboxBuilder#deadLetterRetention} does so by itself.
   */
  int cleanup(DeadLetterFilter filter, Duration olderThan);
}
