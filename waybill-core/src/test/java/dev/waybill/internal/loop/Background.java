package dev.waybill.internal.loop;

import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Something a test does on another thread, and bounded waiting for it. */
final class Background<T> {
  private static final long PATIENCE_SECONDS = 10;

  private final FutureTask<T> task;
  private final Thread thread;

  private Background(Callable<T> call) {
    task = new FutureTask<>(call);
    thread = new Thread(task, "test-background");
    thread.setDaemon(true);
  }

  static <T> Background<T> call(Callable<T> call) {
    var background = new Background<T>(call);
    background.thread.start();
    return background;
  }

  static Background<Boolean> run(Runnable runnable) {
    return call(
        () -> {
          runnable.run();
          return true;
        });
  }

  Thread thread() {
    return thread;
  }

  T join() throws InterruptedException, ExecutionException, TimeoutException {
    return task.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  /** Waits for the latch; a test that waits in vain fails. */
  static void await(CountDownLatch latch) throws InterruptedException {
    if (!latch.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
      throw new AssertionError("Waited in vain");
    }
  }

  /** Waits for the latch whatever happens to this thread, like code that ignores interrupts. */
  static void awaitIgnoringInterrupts(CountDownLatch latch, Runnable onInterrupt) {
    while (latch.getCount() > 0) {
      try {
        latch.await();
      } catch (InterruptedException ignored) {
        onInterrupt.run();
      }
    }
  }
}
