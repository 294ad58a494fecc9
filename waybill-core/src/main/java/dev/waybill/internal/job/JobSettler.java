package dev.waybill.internal.job;

import dev.waybill.DatabaseException;
import dev.waybill.DatabaseException.Kind;
import dev.waybill.internal.job.JobSettlement.CompletingFailed;
import dev.waybill.internal.job.JobSettlement.Ended;
import dev.waybill.internal.job.JobSettlement.Written;
import dev.waybill.internal.loop.Bell;
import dev.waybill.internal.loop.Crew;
import dev.waybill.internal.loop.Next;
import dev.waybill.internal.loop.Time;
import dev.waybill.internal.loop.Worker;
import dev.waybill.internal.store.FreightId;
import dev.waybill.internal.store.JobLeaseStore.Fence;
import dev.waybill.job.AttemptOutcome;
import dev.waybill.job.JobStatus;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes what became of attempts. Those that end while a transaction is on its way are settled
 * together in the next one: batches form under load and nobody waits for one. What fails for want
 * of a database is tried again while the leases live; the fence decides whether it still counts.
 */
final class JobSettler implements Worker {
  private static final Logger log = LoggerFactory.getLogger(JobSettler.class);

  /** How long to leave a run of a workflow to whoever holds it. */
  private static final Duration PAUSE = Duration.ofMillis(10);

  private final JobSettlement settlement;
  private final RunningJobs running;
  private final JobWakeups wakeups;
  private final JobNews news;
  private final int batch;
  private final LateCompletions late;
  private final Bell bell = new Bell();
  private final ConcurrentLinkedDeque<Ended> queue = new ConcurrentLinkedDeque<>();
  private final ConcurrentLinkedDeque<Ended> parked = new ConcurrentLinkedDeque<>();
  private final ReentrantLock writing = new ReentrantLock();
  private volatile boolean closed;

  JobSettler(
      JobSettlement settlement,
      RunningJobs running,
      JobWakeups wakeups,
      JobNews news,
      int batch,
      Crew crew,
      Time time) {
    this.settlement = settlement;
    this.running = running;
    this.wakeups = wakeups;
    this.news = news;
    this.batch = batch;
    this.late = new LateCompletions(crew, time, running.slots());
  }

  @Override
  public String name() {
    return "job-settler";
  }

  Bell bell() {
    return bell;
  }

  /** Has an attempt settled whose handler has ended. */
  void settle(JobRun run, Ending ending) {
    running.end(run);
    Ended ended = new Ended(run, ending);
    if (ending.completing() == null) {
      queue.add(ended);
    } else {
      complete(ended);
    }
    goOn();
  }

  private void goOn() {
    if (closed) {
      flush();
    } else {
      bell.ring();
    }
  }

  /**
   * On the handler's thread, or one of its own: what it has to write may wait for locks of the
   * user's, and nobody else with it.
   */
  private void complete(Ended ended) {
    try {
      writeAlone(ended);
    } catch (DatabaseException e) {
      log.debug("{} is settled later", ended.run(), e);
      late.add(ended, false);
    }
  }

  /** From here on whoever ends an attempt settles it: the worker may have been stopped. */
  void close() {
    closed = true;
    flush();
  }

  /** Settles all that there is, once; what cannot be is left to the reaper of another process. */
  private void flush() {
    try {
      unpark();
      queue.addAll(late.rest());
      while (settleSome()) {
        // There may be more.
      }
    } catch (RuntimeException e) {
      log.warn("{} attempts could not be settled before the end", queue.size(), e);
    }
  }

  @Override
  public Next runOnce() {
    unpark();
    if (!closed) {
      late.resume(this::complete, this::goOn);
    }
    boolean some = settleSome();
    if (!parked.isEmpty()) {
      return queue.isEmpty() ? Next.whenRung(PAUSE) : Next.now();
    }
    return some ? Next.now() : late.next();
  }

  /** Those whose workflow was locked try again. */
  private void unpark() {
    for (Ended next = parked.poll(); next != null; next = parked.poll()) {
      queue.add(next);
    }
  }

  private boolean settleSome() {
    writing.lock();
    try {
      List<Ended> some = new ArrayList<>();
      for (Ended next = queue.poll();
          next != null;
          next = some.size() < batch ? queue.poll() : null) {
        some.add(next);
      }
      if (some.isEmpty()) {
        return false;
      }
      write(some);
      return true;
    } finally {
      writing.unlock();
    }
  }

  private void write(List<Ended> some) {
    Map<Way, List<Ended>> byWay = new EnumMap<>(Way.class);
    some.forEach(each -> byWay.computeIfAbsent(way(each), way -> new ArrayList<>()).add(each));
    Deque<Ended> alone =
        new ArrayDeque<>(Objects.requireNonNullElse(byWay.remove(Way.ALONE), List.of()));
    try {
      // In the order of the ways; what was written is not there any more.
      for (Way way : Way.values()) {
        List<Ended> alike = byWay.getOrDefault(way, List.of());
        if (way == Way.ABOARD && !alike.isEmpty()) {
          byWay.computeIfAbsent(Way.SHORT, rows -> new ArrayList<>()).addAll(writeAboard(alike));
        } else if (!alike.isEmpty()) {
          writeOrSplit(alike, () -> together(way, alike));
        }
        byWay.remove(way);
      }
      for (Ended each = alone.peek(); each != null; each = alone.peek()) {
        writeAlone(each);
        alone.remove();
      }
    } finally {
      // Those that could not be written come first when the database is back.
      alone.descendingIterator().forEachRemaining(this::again);
      byWay.values().forEach(alike -> alike.forEach(this::again));
    }
  }

  /** Not one of those that were written before another failed. */
  private void again(Ended ended) {
    if (running.has(ended.run().fence()) && !parked.contains(ended)) {
      queue.addFirst(ended);
    }
  }

  /** How the ends of attempts are written: alike together. */
  private enum Way {
    ABOARD,
    SHORT,
    SHORT_STEPS,
    TOGETHER,
    ALONE
  }

  private Way way(Ended each) {
    if (each.ending().completing() != null) {
      return Way.ALONE;
    }
    if (!settlement.isShort() || !each.isPlainSuccess()) {
      return Way.TOGETHER;
    }
    if (FreightId.mayBeAboard(each.run().fence().id())) {
      // Behind the ordinary lock, by which it is unloaded.
      return each.mayEndAboard() ? Way.ABOARD : Way.TOGETHER;
    }
    return each.isStep() ? Way.SHORT_STEPS : Way.SHORT;
  }

  /** Returns those who are in no freight any more. */
  private List<Ended> writeAboard(List<Ended> some) {
    try {
      Written written = settlement.succeedAboard(some);
      Set<Fence> ended = new HashSet<>();
      written.settled().forEach(each -> ended.add(each.lease().fence()));
      Map<Boolean, List<Ended>> byEnd =
          some.stream()
              .collect(Collectors.partitioningBy(each -> ended.contains(each.run().fence())));
      finished(byEnd.getOrDefault(true, List.of()), written);
      return byEnd.getOrDefault(false, List.of());
    } catch (RuntimeException e) {
      if (isPassing(e)) {
        throw e;
      }
      log.debug("A batch of freights was refused; its attempts are settled one by one", e);
      some.forEach(this::writeAlone);
      return List.of();
    }
  }

  private Written together(Way way, List<Ended> alike) {
    return way == Way.TOGETHER
        ? settlement.settle(alike, null)
        : settlement.succeed(alike, way == Way.SHORT_STEPS);
  }

  private void writeOrSplit(List<Ended> some, Supplier<Written> together) {
    try {
      finished(some, together.get());
    } catch (RuntimeException e) {
      if (isPassing(e)) {
        throw e;
      }
      log.debug("A batch was refused; its attempts are settled one by one", e);
      some.forEach(this::writeAlone);
    }
  }

  /** An attempt that wants to write in the same transaction, or that spoils a batch. */
  private void writeAlone(Ended one) {
    try {
      finished(List.of(one), settlement.settle(List.of(one), one.ending().completing()));
    } catch (CompletingFailed e) {
      refused(one, e.getCause() == null ? e : e.getCause());
    } catch (RuntimeException e) {
      if (isPassing(e)) {
        throw e;
      }
      refused(one, e);
    }
  }

  /** What the attempt wants to have written cannot be: then the attempt has failed. */
  private void refused(Ended one, Throwable why) {
    log.warn("{}: its result could not be stored", one.run(), Wording.readable(why));
    Ending instead = Ending.of(AttemptOutcome.RETRYABLE, "job.completion_refused", Wording.of(why));
    Ended failed = new Ended(one.run(), instead);
    try {
      finished(List.of(failed), settlement.settle(List.of(failed), null));
    } catch (RuntimeException e) {
      if (isPassing(e)) {
        throw e;
      }
      // Whatever is wrong with it must not hold up the others.
      log.error("{} cannot be settled; the reaper will find it", one.run(), e);
      running.remove(List.of(one.run()));
    }
  }

  /** Whether the same may succeed later. */
  static boolean isPassing(RuntimeException failure) {
    return failure instanceof DatabaseException e
        && (e.kind() == Kind.CONTENTION || e.kind() == Kind.DISCONNECTED);
  }

  private void park(Ended ended) {
    if (ended.ending().completing() == null) {
      parked.add(ended);
    } else {
      late.add(ended, true);
    }
  }

  private void finished(List<Ended> all, Written written) {
    List<Ended> some =
        written.waiting().isEmpty()
            ? all
            : all.stream().filter(each -> !written.waiting().contains(each)).toList();
    written.waiting().forEach(this::park);
    int waiting = parked.size() + late.held();
    if (running.parked().getAndSet(waiting) < waiting) {
      running.changed().ring();
    }
    Set<Fence> held = new HashSet<>();
    written.settled().forEach(each -> held.add(each.lease().fence()));
    for (Ended each : some) {
      if (!held.contains(each.run().fence())) {
        log.info(
            "{} ended as {}, but no longer owns its job: nothing was written",
            each.run(),
            each.ending().outcome());
        if (each.run().reason() == null) {
          news.leaseLost(each.run());
        }
      }
    }
    if (!some.isEmpty()) {
      running.remove(some.stream().map(Ended::run).toList());
    }
    news.ended(written.settled());
    if (written.settled().stream().anyMatch(each -> each.status() == JobStatus.SCHEDULED)) {
      wakeups.later();
    }
    if (written.timers()) {
      wakeups.timers();
    }
    if (written.settled().stream().anyMatch(each -> each.status() == JobStatus.PENDING)) {
      running.changed().ring();
    }
    if (some.stream().anyMatch(each -> each.workflow().isPresent())) {
      // Steps may have followed that only another process can run.
      wakeups.ready();
    }
  }
}
