package dev.waybill.internal.workflow;

import dev.waybill.internal.sql.Endings.Companion;
import dev.waybill.internal.sql.Tx;
import java.util.function.Consumer;

/**
 * How the steps that one transaction has released get on their way: those who run them, and who
 * keeps the time if need be, are told after its commit. For one thread.
 */
final class WorkflowDeparture implements Companion {
  private final Consumer<Boolean> wake;
  private boolean timed;

  /**
   * Of a transaction that has changed a run.
   *
   * @param wake is told whether there may be timers, too
   */
  WorkflowDeparture(Consumer<Boolean> wake) {
    this.wake = wake;
  }

  /** A run was changed, perhaps one with timers. */
  void add(boolean withTimers) {
    timed |= withTimers;
  }

  @Override
  public void beforeCommit(Tx tx) {
    // Nothing of it is taken along.
  }

  @Override
  public void committed() {
    wake.accept(timed);
  }

  @Override
  public void failed(boolean known) {
    // Nothing is held.
  }
}
