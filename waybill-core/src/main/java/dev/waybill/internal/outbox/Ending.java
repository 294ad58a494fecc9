package dev.waybill.internal.outbox;

import dev.waybill.internal.store.PartitionState;
import java.time.Duration;

/**
 * How a turn is to end, unless parked messages ask for something else.
 *
 * @param parked whether there are any to look after before it ends
 */
record Ending(Kind kind, Duration delay, boolean parked) {
  enum Kind {
    /** Nothing is left. */
    IDLE,
    /** More can be delivered at once. */
    MORE,
    /** More can be delivered, but the tuning asks for a pause. */
    PACED,
    /** Nobody may deliver before this time has passed. */
    LATER,
    /** There is nothing to do before this time has passed, unless something arrives. */
    UNTIL,
    /** Somebody else has the partition. */
    SKIPPED
  }

  static Ending of(Kind kind) {
    return new Ending(kind, Duration.ZERO, false);
  }

  static Ending of(Kind kind, Duration delay) {
    return new Ending(kind, delay, false);
  }

  Ending withParked(boolean value) {
    return new Ending(kind, delay, value);
  }

  /** How a partition stands that this process could not have, or has just left. */
  static Ending of(PartitionState state) {
    Ending ending;
    if (state.paused()) {
      return of(Kind.IDLE);
    } else if (state.processedSeq() >= state.sequence()) {
      ending = of(Kind.IDLE);
    } else if (!state.notBefore().isZero()) {
      ending = of(Kind.LATER, state.notBefore());
    } else {
      ending = of(Kind.SKIPPED);
    }
    return ending.withParked(state.parked() > 0);
  }

  /**
   * The ending after the parked messages were looked after.
   *
   * @param state how the partition stands now
   * @param tired whether it was not because nothing was due that this ended
   */
  Ending after(PartitionState state, boolean tired) {
    boolean due = state.parked() > 0 && state.parkedDue().isZero();
    if (state.paused()) {
      return of(Kind.IDLE);
    }
    if (kind == Kind.SKIPPED || (due && !tired)) {
      return of(Kind.SKIPPED);
    }
    boolean more = state.sequence() > state.processedSeq();
    if (due || (more && state.notBefore().isZero() && kind != Kind.PACED)) {
      return of(Kind.MORE);
    }
    if (state.parked() == 0) {
      return more ? of(Kind.LATER, kind == Kind.PACED ? delay : state.notBefore()) : of(Kind.IDLE);
    }
    Duration main = kind == Kind.PACED ? delay : state.notBefore();
    return more && main.compareTo(state.parkedDue()) < 0
        ? of(Kind.LATER, main)
        : of(more ? Kind.LATER : Kind.UNTIL, state.parkedDue());
  }

  void settle(Turn<?> turn) {
    switch (kind) {
      case IDLE -> turn.done(false);
      case MORE -> turn.done(true);
      case PACED, LATER -> turn.notBefore(delay);
      case UNTIL -> turn.until(delay);
      case SKIPPED -> turn.skipped();
    }
  }
}
