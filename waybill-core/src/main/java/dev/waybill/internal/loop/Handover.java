package dev.waybill.internal.loop;

import java.util.concurrent.CompletableFuture;

/**
 * A value that one thread gives, once, and others wait for. They wait for one who is at work, so
 * there is no limit to it, and an interrupt is left for afterwards.
 */
public final class Handover<T> {
  private final CompletableFuture<T> value = new CompletableFuture<>();

  /** Gives the value; whatever is given later counts for nothing. */
  public void give(T given) {
    value.complete(given);
  }

  /** Waits for the value. */
  public T take() {
    return value.join();
  }
}
