package dev.waybill.internal.loop;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Wakes the loops that listen to it. A loop may listen to several bells and a bell may be heard by
 * several loops.
 *
 * <p>{@link #ring} wakes one loop: the one that has waited longest, so that as many rings wake as
 * many loops. If none waits, one ring is stored, and the first loop that begins a run or a wait
 * takes it; further rings until then say nothing new and are dropped. {@link #ringAll} is heard by
 * every loop on the bell, waiting or busy.
 *
 * <p>Safe for use by many threads; cheap enough to ring after every commit.
 */
public final class Bell {
  private final ReentrantLock lock = new ReentrantLock();
  private final Set<Ear> ears = new LinkedHashSet<>();
  private final Set<Ear> waiting = new LinkedHashSet<>();
  private volatile boolean stored;

  /** At least one loop begins a run after this. */
  public void ring() {
    // Whoever takes the stored ring after this look begins its run after this call, too.
    if (stored) {
      return;
    }
    lock.lock();
    try {
      var longest = waiting.iterator();
      if (longest.hasNext()) {
        Ear ear = longest.next();
        longest.remove();
        ear.hear(this);
      } else {
        stored = true;
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Every loop on this bell begins a run after this. A loop that starts later needs no ring: it
   * begins with a run.
   */
  public void ringAll() {
    lock.lock();
    try {
      // Covered by what follows, unless nobody listens yet. Forgotten first: see ring().
      stored = stored && ears.isEmpty();
      ears.forEach(ear -> ear.hear(this));
      waiting.clear();
    } finally {
      lock.unlock();
    }
  }

  void attach(Ear ear) {
    lock.lock();
    try {
      ears.add(ear);
    } finally {
      lock.unlock();
    }
  }

  void detach(Ear ear) {
    lock.lock();
    try {
      ears.remove(ear);
      waiting.remove(ear);
    } finally {
      lock.unlock();
    }
  }

  /** Gives the stored ring to this ear, if there is one. */
  boolean take(Ear ear) {
    lock.lock();
    try {
      if (!stored) {
        return false;
      }
      stored = false;
      ear.hear(this);
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Gives the stored ring to this ear, or else the next one. */
  boolean takeOrListen(Ear ear) {
    lock.lock();
    try {
      if (take(ear)) {
        return true;
      }
      waiting.add(ear);
      return false;
    } finally {
      lock.unlock();
    }
  }

  void stopListening(Ear ear) {
    lock.lock();
    try {
      waiting.remove(ear);
    } finally {
      lock.unlock();
    }
  }
}
