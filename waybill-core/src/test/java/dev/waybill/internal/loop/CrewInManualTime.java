package dev.waybill.internal.loop;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;

/** A crew in manual time, and a run that can be held. */
abstract class CrewInManualTime {
  static final Duration GRACE = Duration.ofSeconds(30);

  final ManualTime time = new ManualTime();
  final Crew crew = new Crew(time, () -> 0.5);
  final Bell bell = new Bell();
  final LoopOptions options = LoopOptions.defaults().withBells(bell);
  final LogCapture log = new LogCapture(Crew.class);
  final LogCapture rosterLog = new LogCapture(Roster.class);
  final CountDownLatch running = new CountDownLatch(1);
  final CountDownLatch goOn = new CountDownLatch(1);

  @AfterEach
  void release() {
    goOn.countDown();
    crew.stop(GRACE);
    log.close();
    rosterLog.close();
  }

  ScriptedWorker add(String name) {
    var worker = new ScriptedWorker(name, time);
    crew.add(worker, options);
    return worker;
  }

  Next stubborn(Runnable onInterrupt) {
    running.countDown();
    Background.awaitIgnoringInterrupts(goOn, onInterrupt);
    return Next.now();
  }

  record Counting(String name, AtomicInteger ran) implements Worker {
    @Override
    public Next runOnce() {
      ran.incrementAndGet();
      return Next.whenRung();
    }
  }

  /** Runs out of threads, like a machine at its limit. */
  static final class FewThreads extends ThreadPoolExecutor {
    final List<String> namesAfterwards = new CopyOnWriteArrayList<>();
    final List<Boolean> interruptedAfterwards = new CopyOnWriteArrayList<>();

    FewThreads(int limit) {
      super(0, limit, 1, TimeUnit.MINUTES, new SynchronousQueue<>());
    }

    @Override
    protected void afterExecute(Runnable task, Throwable failure) {
      namesAfterwards.add(Thread.currentThread().getName());
      interruptedAfterwards.add(Thread.currentThread().isInterrupted());
    }
  }
}
