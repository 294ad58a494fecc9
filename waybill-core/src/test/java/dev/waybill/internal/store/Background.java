package dev.waybill.internal.store;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A call on a thread of its own, as the tests' calls wait for one another. */
final class Background<T> {
  private static final Duration PROMPT = Duration.ofSeconds(20);

  private final CompletableFuture<T> result = new CompletableFuture<>();

  private Background() {}

  static <T> Background<T> run(Callable<T> call) {
    Background<T> background = new Background<>();
    Thread thread =
        new Thread(
            () -> {
              try {
                background.result.complete(call.call());
              } catch (Throwable e) {
                background.result.completeExceptionally(e);
              }
            },
            "background");
    thread.setDaemon(true);
    thread.start();
    return background;
  }

  /** What a call gives that must not have to wait for anything. */
  static <T> T promptly(Callable<T> call) throws Exception {
    return run(call).get();
  }

  boolean isDone() {
    return result.isDone();
  }

  /** Its result, or what it threw. */
  T get() throws Exception {
    try {
      return result.get(PROMPT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      throw new AssertionError("It waits for something", e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof Exception cause) {
        throw cause;
      }
      throw new AssertionError(e.getCause());
    }
  }
}
