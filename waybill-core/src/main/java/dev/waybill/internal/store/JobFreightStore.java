package dev.waybill.internal.store;

import dev.waybill.internal.sql.Dialect;
import dev.waybill.internal.sql.Row;
import dev.waybill.internal.sql.Tx;
import dev.waybill.internal.store.JobLeaseStore.Claim;
import dev.waybill.internal.store.JobLeaseStore.Fence;
import dev.waybill.internal.store.JobLeaseStore.Lease;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Freights: rows of several jobs that came in bulk and simply succeed (PostgreSQL). What else
 * happens to one of them happens to rows, so whoever changes jobs has their freights unloaded
 * first; where there are none that does nothing.
 */
public final class JobFreightStore {
  /**
   * What the jobs of a call have in common.
   *
   * @param timeout microseconds
   */
  public record Alike(
      String type,
      @Nullable Integer priority,
      @Nullable Integer maxAttempts,
      @Nullable Long timeout,
      String stage) {}

  private final Tx tx;

  private JobFreightStore(Tx tx) {
    this.tx = tx;
  }

  /** In this transaction. */
  public static JobFreightStore in(Tx tx) {
    return new JobFreightStore(tx);
  }

  /** Whether there are any in this database. */
  public static boolean isKnownTo(Tx tx) {
    return tx.dialect() == Dialect.POSTGRES;
  }

  /** Inserts freights; false, and nothing is done, if the type is not to be had or has limits. */
  public boolean insert(Alike alike, Loading loading) {
    Loading.Columns columns = loading.columns();
    return tx.sql("job_freight_insert")
            .uuids("ids", columns.ids())
            .longs("jobs", columns.jobs())
            .longs("behinds", columns.behinds())
            .longs("bytes", columns.lengths())
            .texts("sizes", columns.sizes())
            .set("payload", columns.payload())
            .set("type", alike.type())
            .set("priority", alike.priority())
            .set("max_attempts", alike.maxAttempts())
            .set("timeout", alike.timeout())
            .set("stage", alike.stage())
            .set("ageing", JobStore.AGEING)
            .update()
        > 0;
  }

  /** The jobs of a freight that a claim has got. */
  static List<Claim> claims(Row row) throws SQLException {
    Claim first = Claim.read(row, "");
    byte[] payload = row.bytes("body");
    List<Claim> claims = new ArrayList<>();
    int behind = 0;
    for (String size : row.text("sizes").split(" ", -1)) {
      int bytes = Integer.parseInt(size);
      claims.add(
          first.at(
              FreightId.job(first.id(), claims.size()),
              new String(payload, behind, bytes, StandardCharsets.UTF_8)));
      behind += bytes;
    }
    return claims;
  }

  /** The same attempts, those of a freight together. */
  private static Map<UUID, List<Fence>> byFreight(List<Fence> fences) {
    Map<UUID, List<Fence>> byFreight = new HashMap<>();
    fences.forEach(
        fence ->
            byFreight
                .computeIfAbsent(FreightId.of(fence.id()), id -> new ArrayList<>())
                .add(fence));
    return byFreight;
  }

  /**
   * Ends those of these attempts whose jobs are in freights that their worker has. Fails, and ends
   * none, if one of the leases ends while its row is waited for.
   */
  List<Lease> succeed(List<Fence> fences) {
    Map<UUID, List<Fence>> byFreight = byFreight(fences);
    // In the order in which rows are locked.
    Map<String, UUID> ordered = new TreeMap<>();
    byFreight.keySet().forEach(id -> ordered.put(id.toString(), id));
    List<UUID> ids = List.copyOf(ordered.values());
    List<String> workers = new ArrayList<>();
    long[] done = new long[ids.size()];
    for (int i = 0; i < done.length; i++) {
      for (Fence fence : byFreight.getOrDefault(ids.get(i), List.of())) {
        done[i] |= 1L << FreightId.place(fence.id());
      }
      workers.add(byFreight.getOrDefault(ids.get(i), List.of()).get(0).worker());
    }
    List<Lease> ended = new ArrayList<>();
    tx.sql("job_freight_succeed")
        .uuids("ids", ids)
        .longs("dones", done)
        .texts("workers", List.copyOf(workers))
        .list(
            row -> {
              for (Fence fence : byFreight.getOrDefault(row.uuid("id"), List.of())) {
                ended.add(lease(row, fence));
              }
              return true;
            });
    return ended;
  }

  private static Lease lease(Row row, Fence fence) throws SQLException {
    return new Lease(
        fence,
        row.text("type"),
        (int) row.number("max_attempts"),
        (int) row.number("priority"),
        row.time("leased_at"),
        row.time("lease_until"),
        null,
        null,
        null,
        row.time("now"));
  }

  /** Those of these attempts that own their job, and that in a freight. */
  List<UUID> live(List<Fence> fences) {
    List<UUID> freights = freights(fences.stream().map(Fence::id).toList());
    if (freights.isEmpty()) {
      return List.of();
    }
    unload("job_freight_unload_slow", freights);
    Map<UUID, Long> done = new HashMap<>();
    tx.sql("job_freight_watch")
        .uuids("ids", freights)
        .set("worker", fences.get(0).worker())
        .list(row -> done.put(row.uuid("id"), row.number("done")) == null);
    return fences.stream()
        .map(Fence::id)
        .filter(id -> (done.getOrDefault(FreightId.of(id), -1L) >> FreightId.place(id) & 1) == 0)
        .toList();
  }

  /** The freights that these may be in. */
  private List<UUID> freights(Collection<UUID> jobs) {
    return isKnownTo(tx)
        ? jobs.stream().filter(FreightId::mayBeAboard).map(FreightId::of).distinct().toList()
        : List.of();
  }

  /** Makes rows of the freights of these jobs; whoever has one now is waited for. */
  public void unload(Collection<UUID> jobs) {
    unload("job_freight_unload", freights(jobs));
  }

  /** The same except for those that somebody has locked. */
  void unloadFree(Collection<UUID> jobs) {
    unload("job_freight_unload_free", freights(jobs));
  }

  private void unload(String statement, List<UUID> freights) {
    if (!freights.isEmpty()) {
      tx.sql(statement).uuids("ids", freights).update();
    }
  }

  /** Makes rows of a worker's freights in which there is a job that nobody runs. */
  public void unloadOrphans(String worker, Predicate<Fence> isRun) {
    if (isKnownTo(tx)) {
      unload(
          tx
              .sql("job_freight_owned")
              .set("worker", worker)
              .list(row -> orphans(row, worker, isRun))
              .stream()
              .flatMap(List::stream)
              .toList());
    }
  }

  private static List<UUID> orphans(Row row, String worker, Predicate<Fence> isRun)
      throws SQLException {
    List<UUID> orphans = new ArrayList<>();
    for (int place = 0; place < row.number("jobs"); place++) {
      UUID job = FreightId.job(row.uuid("id"), place);
      boolean ended = (row.number("done") >> place & 1) == 1;
      if (!ended && !isRun.test(new Fence(job, 1, 1, worker))) {
        orphans.add(job);
      }
    }
    return orphans;
  }

  /** Makes rows of freights whose lease has ended, for so many jobs. */
  void unloadExpired(int jobs) {
    if (isKnownTo(tx)) {
      tx.sql("job_freight_unload_expired").set("limit", jobs).update();
    }
  }

  /** Makes rows of what is among the first of its type's line. */
  public void unloadFront(Collection<String> types, int jobs) {
    if (isKnownTo(tx)) {
      tx.sql("job_freight_unload_front")
          .set("types", JsonRows.texts(types))
          .set("limit", jobs)
          .update();
    }
  }

  /** Deletes freights that ended so long ago, and says how many jobs were in them. */
  int purge(long ageMicros, int jobs) {
    int purged = 0;
    int some = 1;
    while (isKnownTo(tx) && some > 0 && jobs - purged >= FreightId.MOST_JOBS) {
      some =
          tx.sql("job_freight_purge")
              .set("age", ageMicros)
              .set("limit", (jobs - purged) / FreightId.MOST_JOBS)
              .one(row -> (int) row.number("jobs"));
      purged += some;
    }
    return purged;
  }
}
