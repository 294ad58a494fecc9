package dev.waybill.internal.loop;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * How many may work at the same time. First come, first served.
 *
 * <p>Several loops and tasks are limited together by giving them the same permits. Safe for use by
 * many threads.
 */
public final class Permits {
  /** A right to work, held until released. */
  public interface Permit {
    /** Gives it back; a second time does nothing. */
    void release();
  }

  private static final Permit UNLIMITED = () -> {};

  /** In the order of preference; none means no limit. */
  private final List<PermitPool> pools;

  private final StopSignal closed = new StopSignal();

  private Permits(List<PermitPool> pools) {
    this.pools = List.copyOf(pools);
  }

  public static Permits unlimited() {
    return new Permits(List.of());
  }

  /** At most this many at a time. */
  public static Permits fixed(int permits, Time time) {
    return new Permits(List.of(new PermitPool(permits, time)));
  }

  /**
   * A permit that others may also use if there is one, else one that only this group may use; waits
   * for either. Those who are given {@code shared} alone thus yield to this group, which is never
   * without its {@code guaranteed} ones.
   */
  public static Permits tiered(Permits shared, Permits guaranteed) {
    if (shared.pools.isEmpty() || guaranteed.pools.isEmpty()) {
      throw new IllegalArgumentException("A tier without a limit leaves nothing to prefer");
    }
    var pools = new ArrayList<>(shared.pools);
    pools.addAll(guaranteed.pools);
    return new Permits(pools);
  }

  /**
   * Waits for a permit. Returns null if there is none to be had any more: the stop was requested,
   * or these permits were closed.
   */
  public @Nullable Permit acquire(StopSignal stop) throws InterruptedException {
    if (stop.requested() || closed.requested()) {
      return null;
    }
    if (pools.isEmpty()) {
      return UNLIMITED;
    }
    for (PermitPool pool : pools) {
      if (pool.tryTake()) {
        return permitOf(pool);
      }
    }
    return waitInLine(stop);
  }

  private @Nullable Permit waitInLine(StopSignal stop) throws InterruptedException {
    var waiter = new PermitPool.Waiter();
    Runnable alarm = waiter::giveUp;
    stop.add(alarm);
    closed.add(alarm);
    boolean interrupted = true;
    try {
      if (stop.requested() || closed.requested()) {
        waiter.giveUp();
      }
      for (PermitPool pool : pools) {
        pool.queue(waiter);
      }
      PermitPool pool = waiter.await(pools.get(0).time());
      interrupted = false;
      return pool == null ? null : permitOf(pool);
    } finally {
      stop.remove(alarm);
      closed.remove(alarm);
      pools.forEach(pool -> pool.leave(waiter));
      PermitPool granted = waiter.giveUp();
      if (interrupted && granted != null) {
        granted.put();
      }
    }
  }

  /** How many could be had without waiting, at this moment. */
  public int available() {
    return pools.isEmpty()
        ? Integer.MAX_VALUE
        : pools.stream().mapToInt(PermitPool::available).sum();
  }

  /** Nobody gets a permit from now on, and nobody waits for one; permits held stay valid. */
  public void close() {
    closed.request();
  }

  private static Permit permitOf(PermitPool pool) {
    var released = new AtomicBoolean();
    return () -> {
      if (released.compareAndSet(false, true)) {
        pool.put();
      }
    };
  }
}
