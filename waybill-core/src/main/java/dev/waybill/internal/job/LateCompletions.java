package dev.waybill.internal.job;

import dev.waybill.internal.job.JobSettlement.Ended;
import dev.waybill.internal.loop.Crew;
import dev.waybill.internal.loop.Next;
import dev.waybill.internal.loop.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends with something of the user's to write that could not be written yet. Each is tried again
 * after a pause, on a thread of its own, for it may wait for anybody's locks; no more at a time
 * than there are slots, for each takes a connection.
 *
 * <p>Safe for use by many threads.
 */
final class LateCompletions {
  private static final Logger log = LoggerFactory.getLogger(LateCompletions.class);

  private static final Duration PAUSE = Duration.ofMillis(100);

  private final Crew crew;
  private final Time time;
  private final int most;
  private final ConcurrentLinkedQueue<Late> waiting = new ConcurrentLinkedQueue<>();
  private final AtomicInteger begun = new AtomicInteger();

  private record Late(Ended ended, long due, boolean isHeld) {}

  LateCompletions(Crew crew, Time time, int most) {
    this.crew = crew;
    this.time = time;
    this.most = most;
  }

  /**
   * This one comes later.
   *
   * @param isHeld whether it only waits for a workflow that somebody holds
   */
  void add(Ended ended, boolean isHeld) {
    waiting.add(new Late(ended, time.nanos() + PAUSE.toNanos(), isHeld));
  }

  /** How many only wait for a workflow. */
  int held() {
    return (int) waiting.stream().filter(Late::isHeld).count();
  }

  /** Takes all: there is no later. */
  List<Ended> rest() {
    List<Ended> all = new ArrayList<>();
    for (Late next = waiting.poll(); next != null; next = waiting.poll()) {
      all.add(next.ended());
    }
    return all;
  }

  /**
   * Has those written whose pause is over. By one thread at a time.
   *
   * @param then is done behind each, when there is room for another
   */
  void resume(Consumer<Ended> write, Runnable then) {
    while (hasRoom() && isDue(waiting.peek())) {
      Late next = waiting.poll();
      if (next == null) {
        return;
      }
      if (!isBegun(next.ended(), write, then)) {
        waiting.add(next);
        return;
      }
    }
  }

  private boolean hasRoom() {
    return begun.get() < most;
  }

  private boolean isDue(@Nullable Late late) {
    return late != null && late.due() - time.nanos() <= 0;
  }

  private boolean isBegun(Ended ended, Consumer<Ended> write, Runnable then) {
    begun.incrementAndGet();
    boolean begins = false;
    try {
      begins =
          crew.run(
              "job-completion",
              () -> {
                try {
                  write.accept(ended);
                } finally {
                  begun.decrementAndGet();
                  then.run();
                }
              });
    } catch (RuntimeException | OutOfMemoryError e) {
      log.warn("There is no thread to be had for {}", ended.run(), e);
    }
    if (!begins) {
      begun.decrementAndGet();
    }
    return begins;
  }

  /** When to look again. */
  Next next() {
    Late next = waiting.peek();
    return next == null || !hasRoom()
        ? Next.whenRung()
        : Next.whenRung(Duration.ofNanos(Math.max(1_000_000, next.due() - time.nanos())));
  }
}
