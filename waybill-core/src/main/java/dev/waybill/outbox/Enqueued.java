package dev.waybill.outbox;

import java.util.List;

/**
 * Messages that are part of the caller's transaction now. After the commit call {@link #flush}, and
 * they are on their way at once; without it the reconciler finds them.
 */
public interface Enqueued {
  /** The ids of the messages, in their order; a duplicate has the id of the message it repeats. */
  List<Long> ids();

  /** The id of the only message. */
  long id();

  /** Which messages were left out, because their de-duplication key is known: their positions. */
  List<Integer> duplicates();

  /**
   * The transaction was committed: wakes whoever goes on. Needed only with a connection of your
   * own; {@code inTransaction} does it by itself. Harmless if repeated, or after a rollback.
   */
  void flush();
}
