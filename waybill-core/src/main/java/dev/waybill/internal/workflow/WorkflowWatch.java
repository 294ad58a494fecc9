package dev.waybill.internal.workflow;

import dev.waybill.internal.loop.Bell;
import dev.waybill.internal.loop.Next;
import dev.waybill.internal.loop.OneShot;
import dev.waybill.internal.loop.Time;
import dev.waybill.internal.loop.Worker;
import dev.waybill.internal.sql.Database;
import dev.waybill.internal.sql.Session;
import dev.waybill.internal.store.WorkflowReadStore;
import dev.waybill.workflow.WorkflowStatus;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Looks for all who wait for ends of runs: one question at a time, however many wait for however
 * many runs. Does nothing while nobody waits.
 */
final class WorkflowWatch implements Worker {
  private static final Duration LOOK = Duration.ofMillis(50);

  private final Database database;
  private final Time time;
  private final Bell bell = new Bell();
  private final Map<OneShot, UUID> waiting = new ConcurrentHashMap<>();

  WorkflowWatch(Database database, Time time) {
    this.database = database;
    this.time = time;
  }

  @Override
  public String name() {
    return "workflow-watch";
  }

  Bell bell() {
    return bell;
  }

  /** Waits until a run has ended or is gone, or the time is over. */
  void await(UUID run, Duration timeout) throws InterruptedException {
    OneShot end = new OneShot(time);
    waiting.put(end, run);
    try {
      bell.ring();
      end.await(timeout);
    } finally {
      waiting.remove(end);
    }
  }

  @Override
  public Next runOnce() {
    Map<OneShot, UUID> all = Map.copyOf(waiting);
    if (all.isEmpty()) {
      return Next.whenRung();
    }
    try (Session session = database.session()) {
      Map<UUID, WorkflowStatus> statuses =
          session.glance(
              tx -> WorkflowReadStore.in(tx).statuses(java.util.Set.copyOf(all.values())));
      all.forEach(
          (end, run) -> {
            WorkflowStatus status = statuses.get(run);
            if (status == null || status.isTerminal()) {
              waiting.remove(end);
              end.happen();
            }
          });
    }
    return waiting.isEmpty() ? Next.whenRung() : Next.whenRung(LOOK);
  }
}
