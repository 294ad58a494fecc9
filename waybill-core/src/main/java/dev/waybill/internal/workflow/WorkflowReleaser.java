package dev.waybill.internal.workflow;

import dev.waybill.internal.job.JobIds;
import dev.waybill.internal.job.StepEnds;
import dev.waybill.internal.loop.Time;
import dev.waybill.internal.sql.Tx;
import dev.waybill.internal.store.StepState;
import dev.waybill.internal.store.WorkflowRunStore;
import dev.waybill.internal.store.WorkflowRunStore.LockedRun;
import dev.waybill.job.JobStatus;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/** Goes on with a workflow in the transaction in which jobs end that are its steps. */
public final class WorkflowReleaser implements StepEnds {
  private final JobIds ids;

  /** On this clock. */
  public WorkflowReleaser(Time time) {
    this.ids = new JobIds(time);
  }

  @Override
  public Held lock(Tx tx, Collection<UUID> workflows, boolean wait) {
    return new HeldRuns(tx, ids, WorkflowRunStore.in(tx).lock(workflows, wait));
  }

  private static final class HeldRuns implements Held {
    private final Tx tx;
    private final JobIds ids;
    private final List<LockedRun> locked;
    private boolean setTimers;

    HeldRuns(Tx tx, JobIds ids, List<LockedRun> locked) {
      this.tx = tx;
      this.ids = ids;
      this.locked = locked;
    }

    @Override
    public Set<UUID> runs() {
      return locked.stream().map(LockedRun::id).collect(Collectors.toSet());
    }

    @Override
    public void ended(List<End> ends) {
      Avalanche avalanche = new Avalanche(tx, ids, locked);
      avalanche.end(
          ends.stream()
              .map(
                  end ->
                      StepEnd.ofJob(end.workflow(), end.step(), state(end.status()), end.output()))
              .toList());
      setTimers = avalanche.setTimers();
    }

    @Override
    public boolean setTimers() {
      return setTimers;
    }
  }

  private static StepState state(JobStatus status) {
    return switch (status) {
      case SUCCEEDED -> StepState.SUCCEEDED;
      case DEAD_LETTERED -> StepState.FAILED;
      case CANCELED -> StepState.CANCELED;
      default -> throw new IllegalStateException("A job that is " + status + " has not ended");
    };
  }
}
