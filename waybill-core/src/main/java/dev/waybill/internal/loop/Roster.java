package dev.waybill.internal.loop;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Who of a crew is at work, and on which thread. */
final class Roster {
  private static final Logger log = LoggerFactory.getLogger(Roster.class);

  private final Time time;
  private final Executor threads;
  private final ReentrantLock lock = new ReentrantLock();

  // Guarded by the lock; the condition says that a member has ended, or dismisses the others.
  private final Condition changed = lock.newCondition();
  private final Set<Member> members = new LinkedHashSet<>();

  Roster(Time time, Executor threads) {
    this.time = time;
    this.threads = threads;
  }

  /** Has a thread do this. */
  void launch(String name, Runnable body) {
    lock.lock();
    try {
      var member = new Member(name, body);
      members.add(member);
      boolean launched = false;
      try {
        threads.execute(member);
        launched = true;
      } finally {
        if (!launched) {
          members.remove(member);
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits for all to end, interrupts those who have not, waits for these, and returns the names of
   * those who still have not. A member who calls this does not wait for itself, nor for others who
   * are in here, too: they would wait for each other.
   */
  List<String> dismiss(long graceNanos, long afterInterruptNanos) {
    boolean interrupted = false;
    lock.lock();
    Member self = memberOfThisThread();
    try {
      dismissing(self, +1);
      interrupted = !awaitOthers(self, graceNanos);
      othersThan(self).forEach(Member::interrupt);
      interrupted |= !awaitOthers(self, afterInterruptNanos);
      return othersThan(self).stream().map(member -> member.name).toList();
    } finally {
      dismissing(self, -1);
      lock.unlock();
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Returns false if this thread was interrupted while it waited. */
  private boolean awaitOthers(@Nullable Member self, long nanos) {
    long from = time.nanos();
    try {
      long left = nanos;
      while (left > 0 && !othersThan(self).isEmpty()) {
        time.await(lock, changed, left);
        left = nanos - (time.nanos() - from);
      }
      return true;
    } catch (InterruptedException hurry) {
      return false;
    }
  }

  private List<Member> othersThan(@Nullable Member self) {
    return members.stream()
        .filter(member -> self == null || (member != self && member.dismissals == 0))
        .toList();
  }

  private void dismissing(@Nullable Member self, int change) {
    if (self != null) {
      self.dismissals += change;
      changed.signalAll();
    }
  }

  private @Nullable Member memberOfThisThread() {
    for (Member member : members) {
      if (Thread.currentThread().equals(member.thread)) {
        return member;
      }
    }
    return null;
  }

  /** One thread's worth of work. Its fields are guarded by the lock. */
  private final class Member implements Runnable {
    private final String name;
    private final Runnable body;
    private @Nullable Thread thread;
    private boolean interrupted;
    private int dismissals;

    Member(String name, Runnable body) {
      this.name = name;
      this.body = body;
    }

    @Override
    public void run() {
      Thread current = Thread.currentThread();
      String nameBefore = current.getName();
      current.setName("waybill-" + name);
      begin(current);
      try {
        body.run();
      } catch (Throwable error) {
        log.error("{} failed", name, error);
      } finally {
        current.setName(nameBefore);
        end();
      }
    }

    private void begin(Thread current) {
      lock.lock();
      try {
        thread = current;
        if (interrupted) {
          current.interrupt();
        }
      } finally {
        lock.unlock();
      }
    }

    private void end() {
      lock.lock();
      try {
        members.remove(this);
        // No interrupt of ours comes from here on; a late one must not reach who is next here.
        Thread.interrupted();
        changed.signalAll();
      } finally {
        lock.unlock();
      }
    }

    private void interrupt() {
      interrupted = true;
      if (thread != null) {
        thread.interrupt();
      }
    }
  }
}
