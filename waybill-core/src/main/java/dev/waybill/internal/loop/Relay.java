package dev.waybill.internal.loop;

import java.util.Collection;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has tasks done by threads of a crew, each by one of its own if the others are long, and many by
 * one thread if they are short: waking a thread takes longer than a short task does.
 *
 * <p>As long as a task waits, a thread is on its way to take one. It wakes the next one if it
 * leaves tasks behind, before it begins with its own; and when it is done, it takes another task
 * instead of going to sleep. So nothing waits for a task to end, only for threads to wake up.
 *
 * <p>Safe for use by many threads.
 */
public final class Relay<T> {
  private static final Logger log = LoggerFactory.getLogger(Relay.class);

  private final Crew crew;
  private final String name;
  private final Consumer<T> work;
  private final Consumer<T> refused;
  private final Queue<T> waiting = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean coming = new AtomicBoolean();

  /**
   * A relay without tasks.
   *
   * @param name of the threads, while they are at it
   * @param work does a task
   * @param refused gets a task that no thread of the crew can begin any more
   */
  public Relay(Crew crew, String name, Consumer<T> work, Consumer<T> refused) {
    this.crew = crew;
    this.name = name;
    this.work = work;
    this.refused = refused;
  }

  /** Has these done. */
  public void add(Collection<? extends T> tasks) {
    waiting.addAll(tasks);
    summon();
  }

  /** A thread that was asked for, and has not come yet, sees whatever is waiting by then. */
  private void summon() {
    if (waiting.isEmpty() || !coming.compareAndSet(false, true)) {
      return;
    }
    if (!comes()) {
      coming.set(false);
      for (T task = waiting.poll(); task != null; task = waiting.poll()) {
        refused.accept(task);
      }
    }
  }

  private boolean comes() {
    try {
      return crew.run(name, this::run);
    } catch (RuntimeException | OutOfMemoryError e) {
      log.warn("There is no thread to be had for {}", name, e);
      return false;
    }
  }

  private void run() {
    coming.set(false);
    for (T task = waiting.poll(); task != null; task = waiting.poll()) {
      summon();
      if (crew.stopSignal().requested()) {
        refused.accept(task);
      } else {
        doNow(task);
      }
    }
  }

  private void doNow(T task) {
    try {
      work.accept(task);
    } finally {
      // What was meant for this task must not reach the next one.
      Thread.interrupted();
    }
  }
}
