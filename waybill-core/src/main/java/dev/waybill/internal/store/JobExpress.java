package dev.waybill.internal.store;

import dev.waybill.internal.sql.Database;
import dev.waybill.internal.sql.Dialect;
import dev.waybill.internal.sql.Tx;
import dev.waybill.internal.store.JobLeaseStore.Claim;
import dev.waybill.internal.store.JobLeaseStore.Fence;
import dev.waybill.internal.store.JobLeaseStore.Lease;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of most jobs, in one round trip each: the claim of a line in which nothing has to be
 * weighed, the end of attempts that succeeded, and the staging of what is due. Everything else goes
 * the ordinary way, through {@link JobLeaseStore}.
 */
public final class JobExpress {
  private final Database database;

  private JobExpress(Database database) {
    this.database = database;
  }

  /** Empty where one statement cannot do that much. */
  public static Optional<JobExpress> of(Database database) {
    return database.dialect() == Dialect.POSTGRES
        ? Optional.of(new JobExpress(database))
        : Optional.empty();
  }

  /**
   * What a claim has leased.
   *
   * @param drained whether that was all there is, except for what others hold
   * @param freights whether there were freights among that
   * @param stuck whether nothing was taken because what comes first is a freight with more jobs
   *     than were asked for
   */
  public record Front(List<Claim> claims, boolean drained, boolean freights, boolean stuck) {}

  /**
   * Leases the front of the lines, in the order of their turns. Empty if there are several tenants,
   * limits or resources: then nothing was taken.
   */
  public Optional<Front> claimFront(
      Collection<String> types, int limit, String worker, Duration lease) {
    return database.single(
        tx -> {
          AtomicBoolean simple = new AtomicBoolean();
          AtomicBoolean bounded = new AtomicBoolean();
          AtomicBoolean freights = new AtomicBoolean();
          AtomicBoolean stuck = new AtomicBoolean();
          List<Claim> claims = new ArrayList<>();
          tx.sql("job_claim_front")
              .set("types", JsonRows.texts(types))
              .set("limit", limit)
              .set("worker", worker)
              .set("ttl", lease.toNanos() / 1000)
              .list(
                  row -> {
                    simple.set(row.flag("simple"));
                    bounded.set(row.flag("bounded"));
                    stuck.set(row.flag("stuck"));
                    if (row.textOrNull("sizes") != null) {
                      freights.set(true);
                      return claims.addAll(JobFreightStore.claims(row));
                    }
                    return row.uuidOrNull("id") != null && claims.add(Claim.read(row));
                  });
          return simple.get()
              ? Optional.of(
                  new Front(
                      claims, claims.size() < limit && !bounded.get(), freights.get(), stuck.get()))
              : Optional.empty();
        });
  }

  /** Makes rows of freights at the front of the lines of these types, for so many jobs. */
  public void unloadFront(Collection<String> types, int jobs) {
    database.single(
        tx -> {
          JobFreightStore.in(tx).unloadFront(types, jobs);
          return true;
        });
  }

  /**
   * Ends those of these attempts, which succeeded without anything to write, whose jobs are still
   * in freights. Fails, and ends none, if one of the leases ends while its row is waited for.
   */
  public List<Lease> succeedAboard(List<Fence> fences) {
    return database.single(tx -> JobFreightStore.in(tx).succeed(fences));
  }

  /**
   * Leases a job that this transaction has enqueued, if nobody waits for these types and there is
   * nothing to weigh.
   */
  public Optional<Claim> depart(
      Tx tx, UUID id, Collection<String> types, String worker, Duration lease) {
    return tx.sql("job_depart")
        .set("id", id)
        .texts("types", List.copyOf(types))
        .set("worker", worker)
        .set("ttl", lease.toNanos() / 1000)
        .first(Claim::read);
  }

  /** An attempt that succeeded. */
  public record Success(Fence fence, @Nullable String output) {}

  /**
   * Ends these attempts and their jobs; gives those that still owned their job. Fails, and ends
   * none, if one of the leases ends while its row is waited for.
   */
  public List<Lease> succeed(List<Success> all) {
    return database.single(tx -> succeed(tx, all));
  }

  /** The same in a transaction that goes on, for steps: their runs are locked. */
  public List<Lease> succeed(Tx tx, List<Success> all) {
    // In the order in which rows are locked.
    List<Success> ordered =
        all.stream().sorted(Comparator.comparing(each -> each.fence().id().toString())).toList();
    return tx.sql("job_succeed")
        .uuids("ids", ordered.stream().map(each -> each.fence().id()).toList())
        .longs("runs", ordered.stream().mapToLong(each -> each.fence().run()).toArray())
        .longs("attempts", ordered.stream().mapToLong(each -> each.fence().attempt()).toArray())
        .texts("workers", ordered.stream().map(each -> each.fence().worker()).toList())
        .texts("outputs", outputs(ordered))
        .list(Lease::read);
  }

  private static List<@Nullable String> outputs(List<Success> all) {
    List<@Nullable String> outputs = new ArrayList<>();
    all.forEach(each -> outputs.add(each.output()));
    return outputs;
  }

  /**
   * What staging has found.
   *
   * @param untilNext empty if nothing more is scheduled; not positive if somebody holds what is due
   */
  public record Staged(int count, Optional<Duration> untilNext) {}

  /** Gets scheduled jobs whose time has come into the line. */
  public Staged stage(int limit) {
    return database.single(
        tx ->
            tx.sql("job_stage_front")
                .set("limit", limit)
                .one(
                    row ->
                        new Staged(
                            (int) row.number("staged"),
                            Optional.ofNullable(row.numberOrNull("micros"))
                                .map(micros -> Duration.of(micros, ChronoUnit.MICROS)))));
  }
}
