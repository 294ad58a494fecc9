package dev.waybill.internal.outbox;

import dev.waybill.internal.loop.Backoff;
import dev.waybill.internal.loop.Bell;
import dev.waybill.internal.loop.Next;
import dev.waybill.internal.loop.Time;
import dev.waybill.internal.outbox.Agenda.Pauses;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The partitions with numbered messages beyond their cursor: sequencers mark them, the processor
 * serves them, one turn per partition at a time and at most so many turns per queue, so that a
 * queue of slow handlers leaves the others alone. An idle partition costs nothing. See {@link
 * Agenda} for states, order and wake-ups.
 *
 * <p>A turn ends with {@code done(more)}; with {@code notBefore} for a retry, for a pause between
 * full batches, and for a lease that somebody else holds (as long as it lasts); with {@code failed}
 * for an error of the database.
 *
 * <p>Safe for use by many threads.
 */
final class ReadyPartitions {
  /** Another process serves the partition, which takes a handler's time. */
  private static final Backoff SKIPPED =
      new Backoff(Duration.ofMillis(10), 2, Duration.ofSeconds(1), 0.3);

  private final Agenda<String> agenda;

  /** Nothing is ready yet. The bell is the processor's. */
  ReadyPartitions(Time time, Bell bell) {
    this(time, bell::ring, () -> ThreadLocalRandom.current().nextDouble());
  }

  ReadyPartitions(Time time, Runnable ring, DoubleSupplier random) {
    agenda = new Agenda<>(time, ring, new Pauses(SKIPPED, Backoff.standard(), random));
  }

  /** At most this many turns of the queue at a time; 0 pauses it. Without a call: no limit. */
  void limit(String queue, int turns) {
    agenda.limit(queue, turns);
  }

  /** These partitions have messages to deliver. Says how many of them were idle. */
  int mark(String queue, Collection<Long> partitions) {
    return agenda.mark(queue, partitions, Duration.ZERO);
  }

  /** Whether partitions of the queue wait though it is served as much as it may be. */
  boolean isCrowded(String queue) {
    return agenda.isCrowded(queue);
  }

  /** As above, but they are not to be delivered before this time has passed. */
  int mark(String queue, long partition, Duration notBefore) {
    return agenda.mark(queue, List.of(partition), notBefore);
  }

  /** As above, but news may shorten the wait. */
  int markReckoned(String queue, long partition, Duration atMost) {
    return agenda.markReckoned(queue, partition, atMost);
  }

  /** The turn of an idle partition; null if it is not, or if others of its queue come before it. */
  @Nullable Turn<String> takeIdle(String queue, long partition) {
    return agenda.takeIdle(queue, partition);
  }

  /** The turn of the partition that has been due for longest; null if none is. */
  @Nullable Turn<String> take() {
    List<Turn<String>> turns = agenda.take(1);
    return turns.isEmpty() ? null : turns.get(0);
  }

  /** The time until something can be taken: zero if it can now, empty if nothing can. */
  Optional<Duration> untilNext() {
    return agenda.untilNext();
  }

  /** When a worker that has given away or settled its turn is to look again. */
  Next next() {
    return agenda.next();
  }

  /** How many partitions are not idle. */
  int size() {
    return agenda.size();
  }
}
