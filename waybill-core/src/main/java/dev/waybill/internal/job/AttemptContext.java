package dev.waybill.internal.job;

import dev.waybill.internal.loop.Time;
import dev.waybill.internal.sql.Database;
import dev.waybill.internal.sql.Tx;
import dev.waybill.internal.store.JobHistoryStore;
import dev.waybill.internal.store.JobLeaseStore;
import dev.waybill.internal.store.JobLeaseStore.Lease;
import dev.waybill.job.JobException.InvalidArgument;
import dev.waybill.job.JobException.LeaseLost;
import dev.waybill.job.Scope;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** What a handler sees of its attempt. Every write is fenced like the settling itself. */
final class AttemptContext implements StepAttempt {
  private final Database database;
  private final Time time;
  private final JobRun run;

  AttemptContext(Database database, Time time, JobRun run) {
    this.database = database;
    this.time = time;
    this.run = run;
  }

  @Override
  public UUID id() {
    return run.fence().id();
  }

  @Override
  public String type() {
    return run.claim().type();
  }

  @Override
  public @Nullable UUID workflow() {
    return run.claim().workflow();
  }

  @Override
  public @Nullable String step() {
    return run.claim().step();
  }

  @Override
  public Scope scope() {
    String tenant = run.claim().tenant();
    return tenant.isEmpty() ? Scope.global() : Scope.tenant(tenant);
  }

  @Override
  public int run() {
    return run.fence().run();
  }

  @Override
  public int attempt() {
    return run.fence().attempt();
  }

  @Override
  public int maxAttempts() {
    return run.claim().maxAttempts();
  }

  @Override
  public long leaseEpoch() {
    return run.claim().epoch();
  }

  @Override
  public String payload() {
    return run.claim().payload();
  }

  @Override
  public @Nullable String checkpoint() {
    return run.claim().checkpoint();
  }

  @Override
  public Duration remaining() {
    return Duration.ofNanos(run.deadline() - time.nanos());
  }

  @Override
  public boolean isCanceled() {
    return run.stop() != null;
  }

  @Override
  public @Nullable String cancelReason() {
    return run.reason();
  }

  @Override
  public void onCancel(Runnable action) {
    run.onStop(action);
  }

  @Override
  public void progress(@Nullable Long done, @Nullable Long total) {
    fenced(
        (tx, lease) -> {
          Long newDone = done == null ? lease.progressDone() : done;
          Long newTotal = total == null ? lease.progressTotal() : total;
          boolean wrong =
              (newDone != null && newDone < 0)
                  || (newTotal != null && newTotal < 0)
                  || (newDone != null && newTotal != null && newDone > newTotal);
          if (wrong) {
            throw new InvalidArgument(
                "job.invalid_progress",
                "Progress " + newDone + " of " + newTotal + " makes no sense.");
          }
          JobLeaseStore.in(tx).progress(id(), done, total, null, null);
        });
  }

  @Override
  public void checkpoint(String json) {
    String complaint = Json.complaintAbout(json);
    if (complaint != null) {
      throw new InvalidArgument("job.invalid_checkpoint", "The checkpoint " + complaint + ".");
    }
    fenced((tx, lease) -> JobLeaseStore.in(tx).progress(id(), null, null, json, null));
  }

  @Override
  public void log(Level level, String message) {
    fenced(
        (tx, lease) ->
            JobHistoryStore.in(tx).log(id(), run(), attempt(), level, Wording.of(message)));
  }

  private void fenced(BiConsumer<Tx, Lease> write) {
    database.transact(
        tx -> {
          List<Lease> leases = JobLeaseStore.in(tx).lockForSettling(List.of(run.fence()));
          if (leases.isEmpty() || !leases.get(0).isLive()) {
            run.stop(JobRun.Stop.LEASE_LOST, time.nanos());
            throw new LeaseLost(id(), run(), attempt());
          }
          write.accept(tx, leases.get(0));
          return true;
        });
  }
}
