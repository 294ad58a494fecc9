package dev.waybill.internal.loop;

import dev.waybill.internal.loop.Permits.Permit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.DoubleSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Workers and tasks that start and stop together, and their threads. Lives once: add, start, stop.
 *
 * <p>Safe for use by many threads.
 */
public final class Crew {
  /** How long an interrupted thread may take to end before it is left behind. */
  static final Duration AFTER_INTERRUPT = Duration.ofSeconds(1);

  private static final Logger log = LoggerFactory.getLogger(Crew.class);

  /**
   * What a stop achieved.
   *
   * @param unfinished the names of those who still ran when it returned; the caller not counted, if
   *     it was one of them
   */
  public record Stopped(List<String> unfinished) {
    public Stopped {
      unfinished = List.copyOf(unfinished);
    }

    public boolean isClean() {
      return unfinished.isEmpty();
    }
  }

  private enum State {
    NEW,
    STARTED,
    STOPPED
  }

  private final Time time;
  private final DoubleSupplier jitter;
  private final ExecutorService threads;
  private final StopSignal stop = new StopSignal();
  private final Roster roster;
  private final ReentrantLock lock = new ReentrantLock();

  // Guarded by the lock.
  private final List<Loop> loops = new ArrayList<>();
  private final List<LoopListener> watchers = new ArrayList<>();
  private State state = State.NEW;

  public Crew(Time time) {
    this(time, () -> ThreadLocalRandom.current().nextDouble());
  }

  /**
   * For work that waits outside of Java, where a virtual thread keeps its carrier: with as many
   * waiting as there are cores, whoever they wait for could not go on.
   */
  public static Crew ofPlatformThreads(Time time) {
    return new Crew(time, () -> ThreadLocalRandom.current().nextDouble(), Threads.platform());
  }

  /** The jitter is a source of numbers from 0 (inclusive) to 1 (exclusive). */
  public Crew(Time time, DoubleSupplier jitter) {
    this(time, jitter, Threads.best());
  }

  Crew(Time time, DoubleSupplier jitter, ExecutorService threads) {
    this.time = time;
    this.jitter = jitter;
    this.threads = threads;
    this.roster = new Roster(time, threads);
  }

  /** Has a listener hear of all workers that are added from now on, after their own listeners. */
  public void watchedBy(LoopListener watcher) {
    lock.lock();
    try {
      watchers.add(watcher);
    } finally {
      lock.unlock();
    }
  }

  /** Adds a worker; it begins when the crew is started. */
  public void add(Worker worker, LoopOptions options) {
    lock.lock();
    try {
      var loop = new Loop(worker, options.withAlso(watchers), time, jitter, stop);
      if (state != State.NEW) {
        throw new IllegalStateException(
            "Too late to add " + loop.name() + ": the crew is " + state);
      }
      loops.add(loop);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Starts all workers; does nothing if they are started already. If one cannot be started, those
   * that were are stopped again and the crew is stopped.
   *
   * @throws IllegalStateException if the crew was stopped
   */
  public void start() {
    boolean halfway = false;
    lock.lock();
    try {
      if (state == State.STOPPED) {
        throw new IllegalStateException("A stopped crew cannot be started again");
      }
      if (state == State.NEW) {
        state = State.STARTED;
        halfway = true;
        for (Loop loop : loops) {
          roster.launch(loop.name(), loop);
        }
        halfway = false;
      }
    } finally {
      lock.unlock();
      if (halfway) {
        stop(AFTER_INTERRUPT);
      }
    }
  }

  /**
   * Runs the task once on a thread of the crew. What it throws is logged.
   *
   * @return false if the crew is not running: then the task was not and will not be run
   */
  public boolean run(String name, Runnable task) {
    lock.lock();
    try {
      if (state != State.STARTED) {
        return false;
      }
      roster.launch(name, task);
      return true;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits for a permit, then runs the task, which holds the permit.
   *
   * @return false if the crew is not running or the permits are closed: then the task was not and
   *     will not be run
   */
  public boolean run(String name, Permits permits, Runnable task) throws InterruptedException {
    Permit permit = permits.acquire(stop);
    if (permit == null) {
      return false;
    }
    boolean handedOver = false;
    try {
      handedOver =
          run(
              name,
              () -> {
                try {
                  task.run();
                } finally {
                  permit.release();
                }
              });
      return handedOver;
    } finally {
      if (!handedOver) {
        permit.release();
      }
    }
  }

  /** Given when the crew begins to stop. */
  public StopSignal stopSignal() {
    return stop;
  }

  /**
   * Stops: nobody begins a further run, those in progress may end within the grace period, are then
   * interrupted, and left behind if they have not ended a second later. If the calling thread is
   * interrupted, the grace period is over.
   */
  public Stopped stop(Duration grace) {
    long graceNanos = Time.toNanos(grace);
    lock.lock();
    try {
      state = State.STOPPED;
    } finally {
      lock.unlock();
    }
    stop.request();
    List<String> unfinished = roster.dismiss(graceNanos, Time.toNanos(AFTER_INTERRUPT));
    threads.shutdown();
    if (!unfinished.isEmpty()) {
      log.warn("Left behind, ended neither within {} nor when interrupted: {}", grace, unfinished);
    }
    return new Stopped(unfinished);
  }
}
