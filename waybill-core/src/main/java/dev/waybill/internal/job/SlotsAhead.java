package dev.waybill.internal.job;

import java.util.HashSet;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntSupplier;

/**
 * Slots that are spoken for and not taken yet: by a claim that is on its way, and by jobs that
 * depart with their producers' commits. Both are asked for here, so that there never are more jobs
 * than slots.
 *
 * <p>Safe for use by many threads.
 */
final class SlotsAhead {
  /** Of so many slots a claim leaves one where jobs may depart meanwhile. */
  private static final int SHARE = 8;

  private final ReentrantLock lock = new ReentrantLock();

  // Guarded by the lock.
  private final Set<UUID> departing = new HashSet<>();
  private int asked;
  private volatile int kept;

  /**
   * A claim is about to ask for so many at most; says for how many it may.
   *
   * @param backlog whether somebody waits anyway, so that no job can depart
   */
  int ask(int most, boolean backlog, IntSupplier free) {
    lock.lock();
    try {
      int left = free.getAsInt();
      asked = Math.min(most, backlog ? left : left - left / SHARE);
      return asked;
    } finally {
      lock.unlock();
    }
  }

  /** The claim has been answered, and what it has got counts as running. */
  void answered() {
    lock.lock();
    try {
      asked = 0;
    } finally {
      lock.unlock();
    }
  }

  /** Keeps a slot for a job; false if there is none. */
  boolean keep(UUID job, IntSupplier free) {
    lock.lock();
    try {
      boolean keeps = free.getAsInt() > asked && departing.add(job);
      kept = departing.size();
      return keeps;
    } finally {
      lock.unlock();
    }
  }

  /** The job does not depart, or counts as running. */
  void giveUp(UUID job) {
    lock.lock();
    try {
      departing.remove(job);
      kept = departing.size();
    } finally {
      lock.unlock();
    }
  }

  boolean has(UUID job) {
    lock.lock();
    try {
      return departing.contains(job);
    } finally {
      lock.unlock();
    }
  }

  /** How many are kept for jobs that depart. */
  int kept() {
    return kept;
  }
}
