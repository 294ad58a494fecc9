package dev.waybill.internal.loop;

/** Interrupts that foreign code left behind. */
public final class Interrupts {
  private Interrupts() {}

  /** Forgets one that is pending for the calling thread, if any. A stop is seen without it. */
  public static void clear() {
    Thread.interrupted();
  }
}
