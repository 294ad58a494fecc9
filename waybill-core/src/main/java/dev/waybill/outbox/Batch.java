package dev.waybill.outbox;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The messages of one partition that a {@link LeasedBatchHandler} works on: it takes them in order
 * and settles them in order.
 *
 * <pre>{@code
 * for (var chunk = batch.nextChunk(10); !chunk.isEmpty(); chunk = batch.nextChunk(10)) {
 *   broker.send(chunk);
 *   batch.ackChunk(chunk.size());
 * }
 * return HandlerResult.success();
 * }</pre>
 *
 * <p>{@code ack} and {@code reject} speak of the oldest message that is taken and not settled,
 * never of one that was not taken: that throws, and changes nothing. What is settled counts
 * whatever follows; it is stored once, together with the cursor. With p messages settled and t
 * taken:
 *
 * <table>
 * <caption>What an answer means</caption>
 * <tr><th>answer</th><th>when</th><th>the cursor passes</th><th>then</th></tr>
 * <tr><td>success</td><td>all settled</td><td>all</td><td>the next batch</td></tr>
 * <tr><td>success</td><td>p = t, some never taken</td><td>p</td>
 *   <td>the others again, at once; p = 0 counts as a retry</td></tr>
 * <tr><td>success</td><td>p &lt; t: took and did not settle</td><td>p</td>
 *   <td>counts as a retry of the first unsettled</td></tr>
 * <tr><td>retry, timeout, exception, null</td><td></td><td>p</td><td>the others again, later</td></tr>
 * <tr><td>reject</td><td>p &lt; t</td><td>t; the unsettled ones become dead letters</td>
 *   <td>the others again, at once</td></tr>
 * <tr><td>reject</td><td>p = t: names no message</td><td>p</td><td>counts as a retry</td></tr>
 * </table>
 *
 * <p>Thread-safe. When the batch is over (the handler answered, or its time was up) every method
 * that takes or settles throws {@link BatchMisuseException.BatchClosed}.
 */
public interface Batch {
  /** Takes the next message; null if all are taken. */
  @Nullable OutboxMessage next();

  /**
   * Takes the next messages, fewer at the end, none when all are taken.
   *
   * @param atMost at least 1
   */
  List<OutboxMessage> nextChunk(int atMost);

  /** The oldest taken message is done. */
  void ack();

  /**
   * The oldest taken messages are done.
   *
   * @param messages how many; 0 does nothing, more than are taken and not settled is refused
   */
  void ackChunk(int messages);

  /** The oldest taken message can never be done: it becomes a dead letter. */
  void reject(String reason);

  /** The time left until the handler is interrupted; zero when it is up. Stop before that. */
  Duration remaining();

  /**
   * Asks for the whole time again, for a handler that needs longer than it thought. Writes to the
   * database.
   *
   * @return false if the lease is lost: another process has the partition, so stop
   */
  boolean renew();

  /** How many messages the batch has, settled ones included. */
  int size();

  /** How many are settled: acked or rejected. */
  int processed();

  /**
   * The lease's number: it grows with every lease on the partition. Pass it on to whatever can
   * refuse a smaller one, and a handler that lost its lease unnoticed does no harm.
   */
  long epoch();
}
