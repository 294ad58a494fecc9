package dev.waybill.internal.sql;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * Prepared sessions that were just used and will be used again soon. Making a connection ours and
 * giving it back costs round trips, on some drivers more than the work itself; in a burst that is
 * paid once. Whoever owns this sweeps it, so that an idle system holds no connection.
 *
 * <p>Safe for use by many threads.
 */
public final class Shelf {
  private record Kept(Session session, long since) {}

  private final int most;
  private final LongSupplier nanos;
  private final Runnable onKeep;
  private final ReentrantLock lock = new ReentrantLock();
  private final Deque<Kept> kept = new ArrayDeque<>();
  private boolean closed;

  /**
   * An empty shelf.
   *
   * @param most how many sessions it keeps
   * @param nanos a clock that never jumps
   * @param onKeep is called when there is something to sweep
   */
  public Shelf(int most, LongSupplier nanos, Runnable onKeep) {
    this.most = most;
    this.nanos = nanos;
    this.onKeep = onKeep;
  }

  /**
   * The one that was used last: it is the least likely to have been ended by the server.
   *
   * @param apart whether one is preferred that {@link Session#standsApart}, or one that does not; a
   *     connection more is never borrowed for that
   */
  Optional<Session> take(boolean apart) {
    lock.lock();
    try {
      Iterator<Kept> latest = kept.descendingIterator();
      while (latest.hasNext()) {
        Session session = latest.next().session();
        if (session.standsApart() == apart) {
          latest.remove();
          return Optional.of(session);
        }
      }
      return Optional.ofNullable(kept.pollLast()).map(Kept::session);
    } finally {
      lock.unlock();
    }
  }

  /** Whether nothing lies there at the moment. */
  boolean isEmpty() {
    lock.lock();
    try {
      return kept.isEmpty();
    } finally {
      lock.unlock();
    }
  }

  /** False if there is no room: then it is not kept. */
  boolean keep(Session session) {
    boolean first;
    lock.lock();
    try {
      if (closed || kept.size() >= most) {
        return false;
      }
      first = kept.isEmpty();
      kept.addLast(new Kept(session, nanos.getAsLong()));
    } finally {
      lock.unlock();
    }
    if (first) {
      onKeep.run();
    }
    return true;
  }

  /** Gives back what nobody used for so long. Says whether something is left. */
  public boolean sweep(Duration unused) {
    long now = nanos.getAsLong();
    List<Session> old = new ArrayList<>();
    boolean left;
    lock.lock();
    try {
      while (!kept.isEmpty() && now - kept.peekFirst().since() >= unused.toNanos()) {
        old.add(kept.removeFirst().session());
      }
      left = !kept.isEmpty();
    } finally {
      lock.unlock();
    }
    old.forEach(Session::giveUp);
    return left;
  }

  /** Gives everything back, and keeps nothing any more. */
  public void close() {
    lock.lock();
    try {
      closed = true;
    } finally {
      lock.unlock();
    }
    sweep(Duration.ZERO);
  }
}
