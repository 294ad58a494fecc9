package dev.waybill.internal.loop;

/** A piece of background work that is done again and again. Called by one thread at a time. */
public interface Worker {
  /** Stable and short: it names the thread and appears in logs and events. */
  String name();

  /**
   * Does one bounded piece of work and says when to come back. Whatever it throws is retried after
   * a backoff.
   *
   * @throws InterruptedException if it was asked to stop while it waited for something
   */
  Next runOnce() throws Exception;
}
