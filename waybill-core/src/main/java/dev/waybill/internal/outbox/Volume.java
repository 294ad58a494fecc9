package dev.waybill.internal.outbox;

import dev.waybill.spi.OutboxListener;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Rings once for every so many messages that were numbered, and for as many that were delivered.
 */
final class Volume implements OutboxListener {
  private final int every;
  private final Runnable ring;
  private final AtomicLong sequenced = new AtomicLong();
  private final AtomicLong delivered = new AtomicLong();

  Volume(int every, Runnable ring) {
    this.every = every;
    this.ring = ring;
  }

  @Override
  public void sequenced(int messages, Duration took) {
    count(sequenced, messages);
  }

  @Override
  public void delivered(String queue, int partition, int messages, Duration took) {
    count(delivered, messages);
  }

  private void count(AtomicLong counter, int messages) {
    long before = counter.getAndAdd(messages);
    if (before / every != (before + messages) / every) {
      ring.run();
    }
  }
}
