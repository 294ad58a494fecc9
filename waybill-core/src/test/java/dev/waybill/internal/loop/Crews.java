package dev.waybill.internal.loop;

import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Crews in conditions of a kind. */
public final class Crews {
  private Crews() {}

  /** One that gets no thread while this is so, as where a process may have no more of them. */
  public static Crew withoutThreads(Time time, BooleanSupplier exhausted) {
    return new Crew(
        time,
        () -> 0.5,
        new ThreadPoolExecutor(
            0, Integer.MAX_VALUE, 1, TimeUnit.SECONDS, new SynchronousQueue<>()) {
          @Override
          public void execute(Runnable task) {
            if (exhausted.getAsBoolean()) {
              throw new OutOfMemoryError("unable to create native thread");
            }
            super.execute(task);
          }
        });
  }
}
