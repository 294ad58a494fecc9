package dev.waybill.bench.scenario;

import dev.waybill.bench.load.Business;
import dev.waybill.bench.load.Parcel;
import dev.waybill.bench.measure.Figures;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/** Threads that send. Each of these methods returns when all has been sent. */
final class Producers {
  /** Some shapes deadlock all the time on InnoDB: that shows in their figures, and is told. */
  private static final int MOST_ATTEMPTS = 500;

  private static final Set<String> CONTENTION = Set.of("40001", "40P01");
  private static final long BRIEFLY = TimeUnit.MICROSECONDS.toNanos(100);
  private static final int MOST_BRIEF_MOMENTS = 50;

  private final Course course;
  private final Load load;
  private final LongSupplier arrived;
  private final AtomicLong transactions = new AtomicLong();
  private final AtomicLong repeated = new AtomicLong();

  Producers(Course course, Load load) {
    this(course, load, () -> course.arrivals().count());
  }

  /** With another count of what arrived: somebody else may be receiving too. */
  Producers(Course course, Load load, LongSupplier arrived) {
    this.course = course;
    this.load = load;
    this.arrived = arrived;
  }

  /** Sends so many messages as fast as it can, with nothing else in the transactions. */
  void fill(long messages) throws Exception {
    AtomicLong left = new AtomicLong(messages);
    together(
        load.producers(),
        producer -> {
          long mine;
          while ((mine = Math.min(load.batch(), left.getAndAdd(-load.batch()))) > 0) {
            List<Parcel> parcels = course.mailroom().next(producer, System.nanoTime(), (int) mine);
            send(Business.NONE, parcels);
          }
        });
  }

  /** The same for some time. */
  void fillFor(double seconds) throws Exception {
    long until = System.nanoTime() + (long) (seconds * TimeUnit.SECONDS.toNanos(1));
    together(
        load.producers(),
        producer -> {
          while (System.nanoTime() < until) {
            send(Business.NONE, course.mailroom().next(producer, System.nanoTime(), load.batch()));
          }
        });
  }

  /** Sends one transaction after the other for some time, with a business row in each. */
  void sustain(double seconds) throws Exception {
    long until = System.nanoTime() + (long) (seconds * TimeUnit.SECONDS.toNanos(1));
    together(
        load.producers(),
        producer -> {
          while (System.nanoTime() < until) {
            if (course.mailroom().written() - arrived.getAsLong() > load.mostWaiting()) {
              LockSupport.parkNanos(BRIEFLY);
              continue;
            }
            send(
                Business.ONE_ROW,
                course.mailroom().next(producer, System.nanoTime(), load.batch()));
            transactions.incrementAndGet();
          }
        });
  }

  /**
   * Sends at a steady rate, whatever happens to the messages before. A producer that comes late
   * counts from when the message was due.
   *
   * @return when each message was known to be committed, by its tag
   */
  Map<Long, Long> paced(double perSecond, double seconds) throws Exception {
    Map<Long, Long> commits = new ConcurrentHashMap<>();
    AtomicLong next = new AtomicLong();
    long count = (long) (perSecond * seconds);
    double interval = TimeUnit.SECONDS.toNanos(1) / perSecond;
    long begin = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(50);
    together(
        load.producers(),
        producer -> {
          long number;
          while ((number = next.getAndIncrement()) < count) {
            long due = begin + (long) (number * interval);
            waitUntil(due);
            Parcel parcel = course.mailroom().next(producer, due);
            send(Business.ONE_ROW, List.of(parcel));
            commits.put(parcel.tag(), System.nanoTime());
          }
        });
    return commits;
  }

  /** As any producer would: what a deadlock rolled back is done again. */
  private void send(Business business, List<Parcel> parcels) throws Exception {
    for (int attempt = 1; ; attempt++) {
      try {
        course.contender().send(business, parcels);
        return;
      } catch (Exception e) {
        if (attempt == MOST_ATTEMPTS || !isContention(e)) {
          throw e;
        }
        repeated.incrementAndGet();
        LockSupport.parkNanos(BRIEFLY * Math.min(attempt, MOST_BRIEF_MOMENTS));
      }
    }
  }

  private static boolean isContention(Throwable e) {
    for (Throwable each = e; each != null; each = each.getCause()) {
      if (each instanceof SQLException sql
          && CONTENTION.contains(String.valueOf(sql.getSQLState()))) {
        return true;
      }
    }
    return false;
  }

  /** Tells of transactions that had to be done again. */
  void note(Figures figures) {
    if (repeated.get() > 0) {
      figures.note(repeated.get() + " producers' transactions repeated after deadlocks");
    }
  }

  private static void waitUntil(long due) {
    long left;
    while ((left = due - System.nanoTime()) > 0) {
      LockSupport.parkNanos(left);
    }
  }

  /** How many transactions {@link #sustain} made. */
  long transactions() {
    return transactions.get();
  }

  private static void together(int threads, Producer producer) throws Exception {
    ExecutorService executor = Executors.newFixedThreadPool(threads);
    try {
      List<Future<?>> all = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        int number = i;
        all.add(
            executor.submit(
                () -> {
                  producer.produce(number);
                  return number;
                }));
      }
      for (Future<?> each : all) {
        each.get();
      }
    } catch (ExecutionException e) {
      throw new IllegalStateException("A producer failed: " + e.getCause(), e.getCause());
    } finally {
      executor.shutdownNow();
    }
  }

  private interface Producer {
    void produce(int number) throws Exception;
  }
}
