package dev.waybill.internal.workflow;

import dev.waybill.internal.job.JobIds;
import dev.waybill.internal.job.JobKeys;
import dev.waybill.internal.job.Json;
import dev.waybill.internal.sql.Tx;
import dev.waybill.internal.store.StepState;
import dev.waybill.internal.store.WorkflowRetryStore;
import dev.waybill.internal.store.WorkflowRetryStore.EndedEdge;
import dev.waybill.internal.store.WorkflowRetryStore.EndedStep;
import dev.waybill.internal.store.WorkflowRetryStore.Source;
import dev.waybill.internal.store.WorkflowRetryStore.SourceStep;
import dev.waybill.internal.store.WorkflowRunStore.LockedRun;
import dev.waybill.internal.store.WorkflowStore;
import dev.waybill.internal.store.WorkflowStore.Counts;
import dev.waybill.internal.store.WorkflowStore.KeyedRun;
import dev.waybill.internal.store.WorkflowStore.NewEdge;
import dev.waybill.internal.store.WorkflowStore.NewRun;
import dev.waybill.internal.store.WorkflowStore.NewStep;
import dev.waybill.workflow.Rerun;
import dev.waybill.workflow.Started;
import dev.waybill.workflow.WorkflowException.InvalidArgument;
import dev.waybill.workflow.WorkflowException.InvalidState;
import dev.waybill.workflow.WorkflowException.NotFound;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Makes a new run of one that has ended; the lock on the source makes orders come one by one. */
final class WorkflowRerunner {
  private final JobIds ids;

  WorkflowRerunner(JobIds ids) {
    this.ids = ids;
  }

  Started rerun(Tx tx, Rerun order) {
    String payload = order.payload();
    String complaint = payload == null ? null : Json.complaintAbout(payload);
    if (complaint != null) {
      throw new InvalidArgument("workflow.rerun_payload", "The payload " + complaint + ".");
    }
    LockedRun run = Runs.lock(tx, order.scope(), order.source());
    String hash = JobKeys.digest("workflow-rerun", run.id().toString(), order.key());
    Lineage lineage = new Lineage(run.id(), hash, order.key(), request(order));
    Optional<UUID> before =
        lineage.before(tx, "workflow.rerun_conflicting_retry", "The key of a rerun");
    if (before.isPresent()) {
      return new Started(before.get(), Started.Outcome.EXISTING);
    }
    if (!run.status().isTerminal()) {
      throw new InvalidState(
          "workflow.rerun_status",
          "Run " + run.id() + " is " + run.status() + ": only runs that have ended run once more.");
    }
    Started started = copy(tx, order, run, lineage);
    lineage.remember(tx, started.id());
    return started;
  }

  private static String request(Rerun order) {
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    fields.put("reason", order.reason());
    String payload = order.payload();
    if (order.fromStep() != null) {
      fields.put("from_step", order.fromStep());
    }
    if (payload != null) {
      fields.put("payload", Json.parse(payload));
    }
    return Json.write(fields);
  }

  private Started copy(Tx tx, Rerun order, LockedRun run, Lineage lineage) {
    WorkflowRetryStore retries = WorkflowRetryStore.in(tx);
    List<SourceStep> source = retries.sourceSteps(run.id());
    List<EndedEdge> edges = retries.edges(run.id());
    Set<UUID> anew = anew(order, source, edges);
    List<SourceStep> steps = withoutOldElements(order, source, anew);
    Map<UUID, EndedStep> all = new HashMap<>();
    steps.forEach(step -> all.put(step.ended().id(), step.ended()));
    Map<UUID, Redo> again = new LinkedHashMap<>();
    for (SourceStep step : steps) {
      if (anew.contains(step.ended().id())) {
        again.put(step.ended().id(), new Redo(step.ended()));
      }
    }
    Redo.decide(edges, all, again);
    refuseIfInVain(tx, order, all, again);

    Map<UUID, UUID> newIds = new HashMap<>();
    steps.forEach(step -> newIds.put(step.ended().id(), ids.next()));
    List<NewStep> copies = new ArrayList<>();
    List<UUID> turns = new ArrayList<>();
    for (SourceStep step : steps) {
      UUID id = newIds.getOrDefault(step.ended().id(), step.ended().id());
      UUID map = step.ended().parent();
      UUID parent = map == null ? null : newIds.get(map);
      Redo redo = again.get(step.ended().id());
      boolean first = step.copy().key().equals(order.fromStep());
      copies.add(
          redo == null
              ? asItEnded(step.copy(), id, parent)
              : begun(step.copy(), id, parent, redo, first, order));
      if (redo != null && redo.isToBegin()) {
        turns.add(id);
      }
    }
    List<NewEdge> newEdges = new ArrayList<>();
    for (EndedEdge edge : edges) {
      UUID prerequisite = newIds.get(edge.prerequisite());
      UUID dependent = newIds.get(edge.dependent());
      if (prerequisite == null && dependent != null) {
        throw waitsForAnOldElement(run, edge, source);
      }
      if (prerequisite != null && dependent != null) {
        newEdges.add(new NewEdge(prerequisite, dependent, edge.mode(), edge.wanted()));
      }
    }
    Started started = insert(tx, order, run, lineage, copies, newEdges);
    Runs.begin(tx, ids, started.id(), turns);
    return started;
  }

  private static void refuseIfInVain(
      Tx tx, Rerun order, Map<UUID, EndedStep> all, Map<UUID, Redo> again) {
    if (again.values().stream().allMatch(step -> step.state().isTerminal())) {
      throw new InvalidState(
          "workflow.rerun_in_vain",
          "Nothing would run: step '"
              + order.fromStep()
              + "' of run "
              + order.source()
              + " would be skipped, because of how those ended that it waits for. Begin with one of"
              + " those.");
    }
    Undone.of(tx, order.source(), all.values(), step -> !again.containsKey(step.id()))
        .refuse("Rerun all of it instead.");
  }

  private static InvalidState waitsForAnOldElement(
      LockedRun run, EndedEdge edge, List<SourceStep> steps) {
    Map<UUID, String> keys = new HashMap<>();
    steps.forEach(step -> keys.put(step.ended().id(), step.copy().key()));
    return new InvalidState(
        "workflow.rerun_elements",
        "Step '"
            + keys.get(edge.dependent())
            + "' of run "
            + run.id()
            + " waits for '"
            + keys.get(edge.prerequisite())
            + "', and the elements of that map would be made anew. Begin with an element of it, or"
            + " behind it.");
  }

  /** A map step that begins anew makes its elements anew, unless it begins with one of them. */
  private static List<SourceStep> withoutOldElements(
      Rerun order, List<SourceStep> steps, Set<UUID> anew) {
    Set<UUID> kept = new HashSet<>();
    for (SourceStep step : steps) {
      boolean first = step.copy().key().equals(order.fromStep());
      UUID map = step.ended().parent();
      if (first && map != null) {
        kept.add(map);
      }
      if (first && Expansion.isFor(step.copy().kind()) && order.payload() != null) {
        throw new InvalidArgument(
            "workflow.rerun_payload",
            "Step '"
                + step.copy().key()
                + "' is a "
                + step.copy().kind()
                + " and has no payload of its own. Begin with the step whose output it begins"
                + " with, or with one of its elements.");
      }
    }
    return steps.stream()
        .filter(
            step -> {
              UUID map = step.ended().parent();
              return map == null || !anew.contains(map) || kept.contains(map);
            })
        .toList();
  }

  /** The step it begins with and all that follows from it; everything without one. */
  private static Set<UUID> anew(Rerun order, List<SourceStep> steps, List<EndedEdge> edges) {
    Set<UUID> anew = new HashSet<>();
    Deque<UUID> open = new ArrayDeque<>();
    for (SourceStep step : steps) {
      if (order.fromStep() == null || step.copy().key().equals(order.fromStep())) {
        open.add(step.ended().id());
      }
    }
    if (open.isEmpty()) {
      throw NotFound.step(order.source(), String.valueOf(order.fromStep()));
    }
    Map<UUID, List<UUID>> followers = new HashMap<>();
    for (EndedEdge edge : edges) {
      followers.computeIfAbsent(edge.prerequisite(), id -> new ArrayList<>()).add(edge.dependent());
    }
    for (SourceStep step : steps) {
      UUID map = step.ended().parent();
      if (map != null) {
        followers.computeIfAbsent(step.ended().id(), id -> new ArrayList<>()).add(map);
      }
    }
    for (UUID step = open.poll(); step != null; step = open.poll()) {
      if (anew.add(step)) {
        open.addAll(followers.getOrDefault(step, List.of()));
      }
    }
    return anew;
  }

  private static NewStep asItEnded(NewStep step, UUID id, @Nullable UUID parent) {
    return copy(step, id, parent, step.state(), 0, 0, null, step.payload(), true);
  }

  private static NewStep begun(
      NewStep step, UUID id, @Nullable UUID parent, Redo redo, boolean first, Rerun order) {
    boolean open = redo.state() == StepState.RELEASED || redo.state() == StepState.WAITING;
    String payload = first ? order.payload() : null;
    return copy(
        step,
        id,
        parent,
        redo.state(),
        redo.pending(),
        redo.satisfied(),
        open ? Avalanche.timer(step.kind(), step.delay(), step.deadline(), step.remind()) : null,
        payload == null ? step.payload() : payload,
        false);
  }

  /** What came out is taken over by those that have ended. */
  private static NewStep copy(
      NewStep step,
      UUID id,
      @Nullable UUID parent,
      StepState state,
      int pending,
      int satisfied,
      @Nullable Long wake,
      String payload,
      boolean ended) {
    return new NewStep(
        id,
        step.key(),
        step.place(),
        step.kind(),
        state,
        step.needed(),
        pending,
        satisfied,
        step.mayFail(),
        step.type(),
        step.priority(),
        step.maxAttempts(),
        step.timeout(),
        step.stage(),
        step.delay(),
        step.resourceKey(),
        step.resourceHash(),
        step.tokenHash(),
        step.deadline(),
        step.remind(),
        step.remindType(),
        wake,
        ended ? step.finishedAt() : null,
        payload,
        ended ? step.output() : null,
        ended ? step.errorCode() : null,
        ended ? step.errorMessage() : null,
        parent,
        step.overStep(),
        step.overAt());
  }

  private Started insert(
      Tx tx,
      Rerun order,
      LockedRun run,
      Lineage lineage,
      List<NewStep> steps,
      List<NewEdge> edges) {
    Source source = WorkflowRetryStore.in(tx).source(run.id());
    String activeKey = source.activeKey();
    Counts counts = counts(steps, edges);
    NewRun copy =
        new NewRun(
            ids.next(),
            source.type(),
            source.tenant(),
            Avalanche.status(counts),
            counts,
            source.resultStep(),
            null,
            lineage.hash(),
            activeKey,
            activeKey == null ? null : WorkflowStarter.activeHash(source.tenant(), activeKey),
            run.id(),
            order.fromStep(),
            source.input(),
            lineage.request());
    WorkflowStore store = WorkflowStore.in(tx);
    String active = copy.activeHash();
    boolean isTaken = active != null && isTaken(store, active, run.id());
    if (!isTaken) {
      store.insert(copy);
    }
    if (isTaken
        || store
            .byIdempotency(lineage.hash())
            .map(KeyedRun::id)
            .filter(copy.id()::equals)
            .isEmpty()) {
      throw new InvalidState(
          "workflow.active_key_taken",
          "Run "
              + run.id()
              + " cannot run once more: its active key is not free. Another run has it or is about to"
              + " get it, or a handler of this run may still be at work.");
    }
    store.insert(copy.id(), steps, edges);
    store.attributes(copy.id(), WorkflowRetryStore.in(tx).attributes(run.id()));
    store.copyAppendings(run.id(), copy.id());
    return new Started(copy.id(), Started.Outcome.STARTED);
  }

  /**
   * Nobody waits for the key of a run that he holds: who has the key first may wait for the run.
   */
  private static boolean isTaken(WorkflowStore store, String active, UUID run) {
    return store.look(active).filter(run::equals).isPresent()
        ? store.free(List.of(active)) == 0
        : store.holder(active).isPresent();
  }

  private static Counts counts(List<NewStep> steps, List<NewEdge> edges) {
    int open = 0;
    int active = 0;
    int failed = 0;
    for (NewStep step : steps) {
      open += step.state().isTerminal() ? 0 : 1;
      active += step.state() == StepState.RELEASED ? 1 : 0;
      boolean bad = step.state() == StepState.FAILED || step.state() == StepState.CANCELED;
      failed += bad && !step.mayFail() ? 1 : 0;
    }
    return new Counts(open, active, failed, steps.size(), edges.size());
  }
}
