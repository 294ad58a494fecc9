package dev.waybill.console;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the database for all who watch, once per interval however many they are. While nobody
 * watches it has no thread and asks nothing. Thread-safe.
 */
final class Sampler implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Sampler.class);

  /** Makes the document of something that somebody looks at in particular. */
  interface Detail {
    String json(Subject subject) throws Exception;
  }

  /**
   * Something that somebody looks at in particular.
   *
   * @param kind job or workflow
   * @param id its id
   */
  record Subject(String kind, String id) {}

  /**
   * What watchers get.
   *
   * @param number grows
   * @param json the overview
   * @param subjects by subject, the latest documents of those that are looked at
   */
  record Frame(long number, String json, Map<Subject, String> subjects) {}

  private final Duration interval;
  private final Probe probe;
  private final History history;
  private final Detail detail;
  private final ReentrantLock asking = new ReentrantLock();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Map<Subject, Integer> subjects = new LinkedHashMap<>();
  private final Map<Subject, String> details = new HashMap<>();
  private Sample sample = Sample.nothing(Instant.EPOCH);
  private @Nullable Frame latest;
  private long takenAt;
  private int watchers;
  private boolean running;
  private boolean closed;
  private int turn;

  Sampler(Sources sources, RunWatch watch, Duration interval, Detail detail) {
    this.interval = interval;
    this.probe = new Probe(sources, watch);
    this.history = new History(interval);
    this.detail = detail;
  }

  /** Watches until it is closed. */
  Watch watch(Optional<Subject> subject) {
    lock.lock();
    try {
      watchers++;
      subject.ifPresent(each -> subjects.merge(each, 1, Integer::sum));
      if (!running && !closed) {
        running = true;
        Thread thread = new Thread(this::run, "waybill-console-sampler");
        thread.setDaemon(true);
        thread.start();
      }
      return new Watch(subject);
    } finally {
      lock.unlock();
    }
  }

  /** Somebody who watches. */
  final class Watch implements AutoCloseable {
    private final Optional<Subject> subject;
    private boolean open = true;

    private Watch(Optional<Subject> subject) {
      this.subject = subject;
    }

    Optional<Subject> subject() {
      return subject;
    }

    /** A frame newer than that one; empty if there is none in time, or the console is closed. */
    Optional<Frame> next(long after, Duration patience) throws InterruptedException {
      long left = patience.toNanos();
      lock.lock();
      try {
        while (!closed && (latest == null || latest.number() <= after) && left > 0) {
          left = changed.awaitNanos(left);
        }
        return Optional.ofNullable(latest).filter(frame -> !closed && frame.number() > after);
      } finally {
        lock.unlock();
      }
    }

    boolean isOver() {
      lock.lock();
      try {
        return closed;
      } finally {
        lock.unlock();
      }
    }

    @Override
    public void close() {
      lock.lock();
      try {
        if (open) {
          open = false;
          watchers--;
          subject.ifPresent(
              each -> {
                if (subjects.merge(each, -1, Integer::sum) <= 0) {
                  subjects.remove(each);
                  details.remove(each);
                }
              });
          changed.signalAll();
        }
      } finally {
        lock.unlock();
      }
    }
  }

  private void run() {
    while (true) {
      try {
        refresh();
      } catch (RuntimeException e) {
        log.warn("The console could not tell how things stand", e);
      }
      lock.lock();
      try {
        long left = interval.toNanos();
        while (watchers > 0 && !closed && left > 0) {
          left = changed.awaitNanos(left);
        }
        if (watchers == 0 || closed) {
          running = false;
          return;
        }
      } catch (InterruptedException e) {
        running = false;
        return;
      } finally {
        lock.unlock();
      }
    }
  }

  /** The latest sample; a new one if nobody watches and it is older than the interval. */
  Sample current() {
    asking.lock();
    try {
      if (latest == null || System.nanoTime() - takenAt > 2 * interval.toNanos()) {
        refresh();
      }
      return sample;
    } finally {
      asking.unlock();
    }
  }

  /** The overview as it is sent to watchers. */
  Doc overview() {
    asking.lock();
    try {
      return Overview.document(current(), history, new Doc());
    } finally {
      asking.unlock();
    }
  }

  /** What the charts begin with. */
  List<Doc> points() {
    asking.lock();
    try {
      return history.points();
    } finally {
      asking.unlock();
    }
  }

  /** Something was changed: the next sample looks at everything. */
  void hurry() {
    asking.lock();
    try {
      probe.hurry();
      takenAt = System.nanoTime() - TimeUnit.DAYS.toNanos(1);
    } finally {
      asking.unlock();
    }
  }

  private void refresh() {
    asking.lock();
    try {
      try {
        sample = probe.take(Instant.now());
      } catch (RuntimeException e) {
        log.warn("The console could not ask the database", e);
        sample = sample.failed(Instant.now(), "The database does not answer.");
      }
      Doc point = history.add(sample);
      String json = Overview.document(sample, history, point).json();
      loadOneSubject();
      takenAt = System.nanoTime();
      lock.lock();
      try {
        latest = new Frame(latest == null ? 1 : latest.number() + 1, json, Map.copyOf(details));
        changed.signalAll();
      } finally {
        lock.unlock();
      }
    } finally {
      asking.unlock();
    }
  }

  /** One at a time, in turn: then they cost the same however many there are. */
  private void loadOneSubject() {
    Subject subject;
    lock.lock();
    try {
      if (subjects.isEmpty()) {
        return;
      }
      List<Subject> all = new ArrayList<>(subjects.keySet());
      subject = all.get(turn++ % all.size());
    } finally {
      lock.unlock();
    }
    try {
      String json = detail.json(subject);
      lock.lock();
      try {
        if (subjects.containsKey(subject)) {
          details.put(subject, json);
        }
      } finally {
        lock.unlock();
      }
    } catch (Exception e) {
      log.debug("No details of {}", subject, e);
    }
  }

  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
