package dev.waybill.internal.loop;

import dev.waybill.internal.loop.Permits.Permit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Drives one worker: wait, get a permit, run, look at the answer; until the stop. Begins with a
 * run. A failure of the worker never ends it.
 */
final class Loop implements Runnable {
  private static final Logger log = LoggerFactory.getLogger(Loop.class);

  private final Worker worker;
  private final String name;
  private final Permits permits;
  private final Backoff backoff;
  private final Pace pace;
  private final List<LoopListener> listeners;
  private final Time time;
  private final DoubleSupplier jitter;
  private final StopSignal stop;
  private final Ear ear;

  // The wait before the next run: since when, how long, and whether a ring ends it.
  private long waitingSince;
  private long waitNanos;
  private boolean waitEndsWhenRung;

  private Duration currentPace;
  private int failures;
  private long failingSince;

  Loop(Worker worker, LoopOptions options, Time time, DoubleSupplier jitter, StopSignal stop) {
    this.worker = worker;
    this.name = worker.name();
    this.permits = options.permits();
    this.backoff = options.backoff();
    this.pace = options.pace();
    this.listeners = new ArrayList<>(options.listeners());
    this.listeners.add(0, new ErrorStreakLog(log, time));
    this.time = time;
    this.jitter = jitter;
    this.stop = stop;
    this.ear = new Ear(time, stop, options.bells());
    this.currentPace = pace.active();
  }

  String name() {
    return name;
  }

  @Override
  public void run() {
    tell(listener -> listener.started(name));
    ear.open();
    try {
      boolean goOn = true;
      while (goOn && !stop.requested()) {
        goOn = runNext();
      }
    } finally {
      ear.close();
      tell(listener -> listener.stopped(name));
    }
  }

  /** One wait and one run. Returns false if there will never be a permit again. */
  private boolean runNext() {
    try {
      if (waitEndsWhenRung) {
        ear.waitForRing(waitingSince, waitNanos);
      } else {
        ear.waitFor(waitingSince, waitNanos);
      }
      Permit permit = permits.acquire(stop);
      if (permit == null) {
        return false;
      }
      try {
        if (!stop.requested()) {
          callWorker();
        }
      } finally {
        permit.release();
      }
    } catch (InterruptedException notForUs) {
      // Only a crew that stops has a reason to interrupt this thread, and then the loop sees the
      // request. After anybody else's interrupt the wait goes on where it was.
    } catch (Throwable broken) {
      failed(broken, time.nanos());
    }
    return true;
  }

  private void callWorker() {
    ear.runBegins();
    tell(listener -> listener.running(name));
    long began = time.nanos();
    try {
      Next next = Objects.requireNonNull(worker.runOnce(), "A worker must say when to come back");
      succeeded(next, began);
    } catch (InterruptedException interrupted) {
      if (!stop.requested()) {
        failed(interrupted, began);
      }
    } catch (Throwable error) {
      failed(error, began);
    } finally {
      // What the worker left behind must not reach its next run. A stop is seen without it.
      Thread.interrupted();
    }
  }

  private void succeeded(Next next, long began) {
    ear.runAnswered();
    long now = time.nanos();
    int overcome = failures;
    failures = 0;
    if (next.isNow()) {
      waitFrom(now, Time.toNanos(currentPace), false);
      currentPace = pace.after(currentPace);
    } else {
      waitFrom(now, next.nanos(), next.endsWhenRung());
      currentPace = pace.active();
    }
    if (overcome > 0) {
      Duration lasted = Duration.ofNanos(now - failingSince);
      tell(listener -> listener.recovered(name, overcome, lasted));
    }
    Duration took = Duration.ofNanos(now - began);
    tell(listener -> listener.completed(name, took, next));
  }

  private void failed(Throwable error, long began) {
    long now = time.nanos();
    if (failures == 0) {
      failingSince = now;
    }
    if (failures < Integer.MAX_VALUE) {
      failures++;
    }
    Duration retryIn = backoff.delay(failures, jitter);
    waitFrom(now, Time.toNanos(retryIn), false);
    currentPace = pace.active();
    Duration took = Duration.ofNanos(now - began);
    tell(listener -> listener.failed(name, error, failures, took, retryIn));
  }

  private void waitFrom(long since, long nanos, boolean endsWhenRung) {
    waitingSince = since;
    waitNanos = nanos;
    waitEndsWhenRung = endsWhenRung;
  }

  private void tell(Consumer<LoopListener> event) {
    for (LoopListener listener : listeners) {
      try {
        event.accept(listener);
      } catch (Throwable broken) {
        complain(listener, broken);
      }
    }
  }

  private void complain(LoopListener listener, Throwable broken) {
    try {
      log.error("{}: the listener {} failed", name, listener, broken);
    } catch (Throwable worse) {
      // Logging is broken as well, for lack of memory perhaps. Ending the loop would help nobody.
    }
  }
}
