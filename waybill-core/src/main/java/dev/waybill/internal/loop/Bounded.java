package dev.waybill.internal.loop;

import java.time.Duration;

/** Something that may hang, done without hanging. */
public final class Bounded {
  private Bounded() {}

  /**
   * Runs the task on a daemon thread and waits so long for its end; then interrupts it and leaves
   * it behind. An interrupt of the caller ends the wait.
   *
   * @return whether it has ended
   */
  public static boolean run(String name, Duration atMost, Runnable task) {
    var thread = new Thread(task, "waybill-" + name);
    thread.setDaemon(true);
    thread.start();
    try {
      thread.join(Math.max(1, atMost.toMillis()));
    } catch (InterruptedException hurry) {
      Thread.currentThread().interrupt();
    }
    boolean ended = !thread.isAlive();
    if (!ended) {
      thread.interrupt();
    }
    return ended;
  }
}
