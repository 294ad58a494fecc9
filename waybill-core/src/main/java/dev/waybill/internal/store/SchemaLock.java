package dev.waybill.internal.store;

import dev.waybill.internal.loop.Time;
import dev.waybill.internal.sql.Session;
import dev.waybill.internal.sql.Tx;
import dev.waybill.schema.SchemaIncompatibleException.LockNotObtained;
import dev.waybill.schema.SchemaIncompatibleException.LockNotReleased;
import java.time.Duration;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A session and the migration lock that belongs to it. The session goes back to its pool only when
 * the lock is known to be free; in every other case its connection is ended, which frees the lock.
 */
final class SchemaLock implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(SchemaLock.class);
  private static final Duration POLL = Duration.ofMillis(50);

  private final Session session;
  private final Object key;
  private final Time time;
  private boolean mayBeHeld;

  /** Locks count: a unit that was repeated after it got the lock has it twice. */
  private int held;

  SchemaLock(Session session, Object key, Time time) {
    this.session = session;
    this.key = key;
    this.time = time;
  }

  /** Polls, so that the wait can be interrupted and no statement is open while we wait. */
  void acquire(Duration timeout) {
    long deadline = time.nanos() + Time.toNanos(timeout);
    while (!tryOnce()) {
      if (time.nanos() - deadline >= 0) {
        throw new LockNotObtained("it was busy for " + timeout, null);
      }
      try {
        time.sleep(POLL);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new LockNotObtained("the waiting thread was interrupted", e);
      }
    }
  }

  private boolean tryOnce() {
    mayBeHeld = true;
    boolean got =
        session.transact(
            tx -> {
              boolean done = ask(tx, "schema_lock");
              held += done ? 1 : 0;
              return done;
            });
    mayBeHeld = held > 0;
    return got;
  }

  /** Runs a piece of work in a transaction of the session. */
  <T> T run(Function<Tx, T> work) {
    return session.transact(work);
  }

  /** Gives the lock back. */
  void release() {
    try {
      unlock();
    } catch (RuntimeException e) {
      throw new LockNotReleased(e);
    }
  }

  /** Gives the lock back after a failure, which matters more than one of the unlocking. */
  void releaseAfter(Throwable failure) {
    try {
      unlock();
    } catch (RuntimeException e) {
      log.error(
          "The migration lock could not be released after a failure; its connection is ended", e);
      failure.addSuppressed(e);
    }
  }

  private void unlock() {
    for (; held > 0; held--) {
      if (!session.transact(tx -> ask(tx, "schema_unlock"))) {
        throw new IllegalStateException("The database says that the migration lock was not held");
      }
    }
    mayBeHeld = false;
  }

  private boolean ask(Tx tx, String statement) {
    return tx.sql(statement).set("key", key).one(row -> row.flag("done"));
  }

  @Override
  public void close() {
    if (mayBeHeld) {
      session.discard();
    } else {
      session.close();
    }
  }
}
