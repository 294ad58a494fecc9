package dev.waybill.internal.outbox;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The right to work on one partition, until it is settled by exactly one of the methods; further
 * ones do nothing. A turn that is closed unsettled has failed: whoever left it so met a surprise.
 */
final class Turn<Q> implements AutoCloseable {
  private final Agenda<Q> agenda;
  private final Lineup.Entry<Q> entry;
  private final AtomicBoolean settled = new AtomicBoolean();

  Turn(Agenda<Q> agenda, Lineup.Entry<Q> entry) {
    this.agenda = agenda;
    this.entry = entry;
  }

  Lineup.Entry<Q> entry() {
    return entry;
  }

  /** The partition's row id. */
  long partition() {
    return entry.id;
  }

  Q queue() {
    return entry.queue();
  }

  /** Whether the last visit was not skipped. */
  boolean isFirstTry() {
    return agenda.skips(entry) == 0;
  }

  /** How many times in a row it went wrong before this one. */
  int failuresBefore() {
    return agenda.failures(entry);
  }

  /** All went well; whether there is more to do, behind the others. */
  void done(boolean more) {
    if (first()) {
      agenda.done(entry, more);
    }
  }

  /** There is more, and nobody touches it before this time has passed, whatever is marked. */
  void notBefore(Duration delay) {
    if (first()) {
      agenda.notBefore(entry, delay);
    }
  }

  /** There is nothing to do before this time has passed, unless somebody marks it. */
  void until(Duration atMost) {
    if (first()) {
      agenda.until(entry, atMost);
    }
  }

  /** Somebody else has the partition: again after a short pause, longer each time. */
  void skipped() {
    if (first()) {
      agenda.skipped(entry);
    }
  }

  /** It went wrong: again after a pause, longer each time. */
  void failed() {
    if (first()) {
      agenda.failed(entry);
    }
  }

  @Override
  public void close() {
    failed();
  }

  private boolean first() {
    return settled.compareAndSet(false, true);
  }
}
