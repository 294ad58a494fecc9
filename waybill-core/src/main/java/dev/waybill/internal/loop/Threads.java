package dev.waybill.internal.loop;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Where threads come from. */
final class Threads {
  /**
   * From here on a virtual thread that blocks in {@code synchronized} code frees its carrier (JEP
   * 491). Before, a few blocked JDBC drivers would stop every virtual thread of the process.
   */
  private static final int VIRTUAL_THREADS_BLOCK_SAFELY = 24;

  private Threads() {}

  /** Virtual threads if this JVM has them and they may block, else pooled daemon threads. */
  static ExecutorService best() {
    return Runtime.version().feature() >= VIRTUAL_THREADS_BLOCK_SAFELY ? virtual() : platform();
  }

  /** As many daemon threads as are needed at a time; unused ones end after a minute. */
  static ExecutorService platform() {
    return Executors.newCachedThreadPool(
        task -> {
          var thread = new Thread(task, "waybill-spare");
          thread.setDaemon(true);
          return thread;
        });
  }

  /** By reflection, since the code is compiled for a JVM without virtual threads. */
  static ExecutorService virtual() {
    try {
      return (ExecutorService)
          Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
    } catch (ReflectiveOperationException absent) {
      throw new IllegalStateException("This JVM has no virtual threads", absent);
    }
  }
}
