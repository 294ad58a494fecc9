package dev.waybill.internal.job;

import dev.waybill.internal.loop.Next;
import dev.waybill.internal.loop.Worker;
import java.time.Duration;
import java.util.Map;

/**
 * Deletes what ended long enough ago, jobs or runs, in pieces, each a transaction of its own. Any
 * number of processes may do so at once: what one has locked the others leave to it.
 *
 * @param <S> a status
 */
public final class EndedVacuum<S> implements Worker {
  static final int PIECE = 500;

  private static final Duration APART = Duration.ofMinutes(1);

  /** Deletes at most so many of a status that ended so long ago, and says how many it were. */
  public interface Purge<S> {
    int purge(S status, Duration age, int atMost);
  }

  private final String name;
  private final Map<S, Duration> ages;
  private final Purge<S> purge;

  public EndedVacuum(String name, Map<S, Duration> ages, Purge<S> purge) {
    this.name = name;
    this.ages = Map.copyOf(ages);
    this.purge = purge;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Next runOnce() {
    boolean more = false;
    for (Map.Entry<S, Duration> each : ages.entrySet()) {
      more |= purge.purge(each.getKey(), each.getValue(), PIECE) == PIECE;
    }
    return more ? Next.now() : Next.after(APART);
  }
}
