package dev.waybill.internal.workflow;

import dev.waybill.internal.job.JobIds;
import dev.waybill.internal.sql.Tx;
import dev.waybill.internal.store.StepState;
import dev.waybill.internal.store.WorkflowRunStore;
import dev.waybill.internal.store.WorkflowRunStore.Blocked;
import dev.waybill.internal.store.WorkflowRunStore.Edge;
import dev.waybill.internal.store.WorkflowRunStore.Leaving;
import dev.waybill.internal.store.WorkflowRunStore.LockedRun;
import dev.waybill.internal.store.WorkflowRunStore.RunChange;
import dev.waybill.internal.store.WorkflowRunStore.StepChange;
import dev.waybill.internal.store.WorkflowStore;
import dev.waybill.internal.store.WorkflowStore.Counts;
import dev.waybill.internal.workflow.Expansion.Begun;
import dev.waybill.workflow.Condition;
import dev.waybill.workflow.Dependency;
import dev.waybill.workflow.Step;
import dev.waybill.workflow.WorkflowStatus;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
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

/**
 * Steps end in one transaction, and what follows from it: those that waited for them are released
 * or skipped, those that waited for the skipped too, and their runs go on or end. The runs are
 * locked. Nothing is written before all is known, so the number of statements depends neither on
 * the number of steps nor on the depth of the graph.
 */
final class Avalanche {
  /** A step that waits, with the counters as they become. */
  private static final class Waiting {
    private final Blocked step;
    private int pending;
    private int satisfied;
    private StepState state = StepState.BLOCKED;
    private boolean hasEnded;

    Waiting(Blocked step) {
      this.step = step;
      this.pending = step.pending();
      this.satisfied = step.satisfied();
    }
  }

  /** The counters of a run as they become. */
  private static final class Tally {
    private final LockedRun run;
    private int open;
    private int active;
    private int failed;
    private int steps;

    Tally(LockedRun run) {
      this.run = run;
      this.open = run.counts().open();
      this.active = run.counts().active();
      this.failed = run.counts().failed();
      this.steps = run.counts().steps();
    }
  }

  private final WorkflowRunStore store;
  private final Tx tx;
  private final JobIds ids;
  private final Expansion expansion;
  private final Map<UUID, Tally> runs = new LinkedHashMap<>();
  private final Map<UUID, Waiting> waiting = new LinkedHashMap<>();
  private final List<StepChange> changes = new ArrayList<>();
  private final Deque<Waiting> skipped = new ArrayDeque<>();
  private boolean setTimers;

  /** In runs that are locked. */
  Avalanche(Tx tx, JobIds ids, Collection<LockedRun> locked) {
    this.store = WorkflowRunStore.in(tx);
    this.tx = tx;
    this.ids = ids;
    this.expansion = new Expansion(tx, ids);
    locked.forEach(run -> runs.put(run.id(), new Tally(run)));
  }

  /** Steps end, once: one that has ended already stays as it is. Writes all that follows. */
  void end(List<StepEnd> ends) {
    Map<UUID, StepEnd> byStep = new LinkedHashMap<>();
    for (StepEnd end : ends) {
      Tally run = runs.get(end.workflow());
      if (run != null && !run.run.status().isTerminal()) {
        byStep.put(end.step(), end);
      }
    }
    if (!byStep.isEmpty()) {
      fall(byStep);
      write();
    }
  }

  /** Has steps that are stored as released begin what they begin. Writes all that follows. */
  void begin(Collection<UUID> stored) {
    Map<UUID, StepEnd> ends = new LinkedHashMap<>();
    for (Begun begun : expansion.begin(stored, sizes())) {
      grow(begun);
      begun.end().ifPresent(end -> ends.put(begun.step(), end));
      if (!begun.elements().isEmpty()) {
        changes.add(counting(begun.step(), begun.elements().size()));
      }
    }
    fall(ends);
    write();
  }

  /** Whether something that followed begins or ends at some time. */
  boolean setTimers() {
    return setTimers;
  }

  /** Steps that end by what has ended are the next to end, until none is left. */
  private void fall(Map<UUID, StepEnd> ends) {
    Map<UUID, StepEnd> next = ends;
    while (!next.isEmpty()) {
      decide(next);
      slide();
      next = new LinkedHashMap<>();
      for (StepEnd end : expansion.completed()) {
        next.put(end.step(), end);
      }
      for (Begun begun : expansion.begin(sizes())) {
        grow(begun);
        Optional<StepEnd> end = begun.end();
        if (end.isPresent()) {
          next.put(begun.step(), end.get());
        }
      }
    }
  }

  private void decide(Map<UUID, StepEnd> byStep) {
    Set<UUID> done = new HashSet<>();
    for (Leaving leaving : store.leaving(byStep.keySet())) {
      StepEnd end = byStep.get(leaving.step());
      if (end == null || leaving.before().isTerminal()) {
        continue;
      }
      if (done.add(end.step())) {
        ended(end, leaving);
      }
      leaving.edge().ifPresent(edge -> decide(edge, end.state(), end.output()));
    }
  }

  private Map<UUID, Integer> sizes() {
    Map<UUID, Integer> sizes = new HashMap<>();
    runs.forEach((run, tally) -> sizes.put(run, tally.steps));
    return sizes;
  }

  private void grow(Begun begun) {
    Tally run = tally(begun.workflow());
    int count = begun.elements().size();
    run.steps += count;
    run.open += count;
    run.active += count;
    Waiting step = waiting.get(begun.step());
    if (step != null) {
      step.pending = count;
    }
  }

  private void ended(StepEnd end, Leaving leaving) {
    Tally run = tally(end.workflow());
    run.open--;
    run.active -= leaving.before() == StepState.RELEASED ? 1 : 0;
    boolean bad = end.state() == StepState.FAILED || end.state() == StepState.CANCELED;
    run.failed += bad && !leaving.mayFail() ? 1 : 0;
    expansion.ended(end, leaving.map());
    // A step that has nothing to begin with ends in the moment in which its turn comes.
    Waiting before = waiting.get(end.step());
    if (before != null) {
      before.hasEnded = true;
    }
    changes.add(
        new StepChange(
            end.step(),
            end.state(),
            end.isMap() ? 0 : null,
            before == null ? null : before.satisfied,
            before == null ? null : run.run.now(),
            run.run.now(),
            null,
            end.keepOutput() ? end.output() : null,
            end.code(),
            end.message(),
            end.reason()));
  }

  private Tally tally(UUID workflow) {
    Tally run = runs.get(workflow);
    if (run == null) {
      throw new IllegalStateException("Run " + workflow + " is changed without its lock");
    }
    return run;
  }

  private void decide(Edge edge, StepState end, @Nullable String output) {
    Waiting step =
        waiting.computeIfAbsent(edge.dependent().id(), id -> new Waiting(edge.dependent()));
    if (step.state != StepState.BLOCKED) {
      return;
    }
    step.pending--;
    step.satisfied += isSatisfied(edge.mode(), Conditions.read(edge.wanted()), end, output) ? 1 : 0;
    if (step.satisfied >= step.step.needed()) {
      step.state = step.step.kind() == Step.Kind.GATE ? StepState.WAITING : StepState.RELEASED;
      if (Expansion.isFor(step.step.kind())) {
        expansion.turn(step.step.id());
      }
    } else if (step.pending == 0) {
      step.state = StepState.SKIPPED;
      skipped.add(step);
    }
  }

  /** Whether an edge is satisfied by how its prerequisite ended. */
  static boolean isSatisfied(
      Dependency.Mode mode, @Nullable Condition condition, StepState end, @Nullable String output) {
    return mode == Dependency.Mode.ON_TERMINAL
        || (end == StepState.SUCCEEDED && Conditions.isSatisfied(condition, output));
  }

  /** Those that are skipped are ends, too. */
  private void slide() {
    if (skipped.isEmpty()) {
      return;
    }
    Set<UUID> concerned = new HashSet<>();
    skipped.forEach(step -> concerned.add(step.step.workflow()));
    Map<UUID, List<Edge>> leaving = new HashMap<>();
    for (Edge edge : store.blocked(concerned)) {
      leaving.computeIfAbsent(edge.prerequisite(), id -> new ArrayList<>()).add(edge);
    }
    for (Waiting step = skipped.poll(); step != null; step = skipped.poll()) {
      leaving
          .getOrDefault(step.step.id(), List.of())
          .forEach(edge -> decide(edge, StepState.SKIPPED, null));
    }
  }

  private void write() {
    List<UUID> begun = new ArrayList<>();
    expansion.pending().forEach((map, pending) -> changes.add(counting(map, pending)));
    for (Waiting step : waiting.values()) {
      if (step.hasEnded) {
        continue;
      }
      Tally run = tally(step.step.workflow());
      boolean open = step.state == StepState.RELEASED || step.state == StepState.WAITING;
      run.active += step.state == StepState.RELEASED ? 1 : 0;
      run.open -= step.state == StepState.SKIPPED ? 1 : 0;
      if (step.state == StepState.RELEASED && step.step.kind() == Step.Kind.JOB) {
        begun.add(step.step.id());
      }
      Instant now = run.run.now();
      setTimers |= open && step.step.isTimed();
      changes.add(
          new StepChange(
              step.step.id(),
              step.state,
              step.pending,
              step.satisfied,
              open ? now : null,
              step.state.isTerminal() ? now : null,
              open ? wakeAt(now, step.step) : null,
              null,
              null,
              null,
              step.state == StepState.SKIPPED ? "workflow.dependency_unsatisfied" : null));
    }
    begun.addAll(expansion.write(WorkflowStore.in(tx)));
    List<RunChange> ofRuns =
        runs.values().stream().map(Avalanche::change).flatMap(Optional::stream).toList();
    store.goOn(changes, begun, ofRuns);
    Map<UUID, UUID> parents = parents(ofRuns);
    setTimers |= !parents.isEmpty();
    Parents.tell(tx, ids, parents);
  }

  /** Those of runs that end. */
  private Map<UUID, UUID> parents(List<RunChange> ofRuns) {
    Map<UUID, UUID> parents = new LinkedHashMap<>();
    for (RunChange change : ofRuns) {
      UUID parent = tally(change.id()).run.parent();
      if (parent != null && change.status().isTerminal()) {
        parents.put(change.id(), parent);
      }
    }
    return parents;
  }

  /** A map step that waits for so many elements. */
  private static StepChange counting(UUID map, int pending) {
    return new StepChange(
        map, StepState.RELEASED, pending, null, null, null, null, null, null, null, null);
  }

  private static @Nullable Instant wakeAt(Instant now, Blocked step) {
    Long micros = timer(step.kind(), step.delay(), step.deadline(), step.remind());
    return micros == null ? null : now.plus(micros, ChronoUnit.MICROS);
  }

  /** After how many microseconds a released step has to be looked at; null for never. */
  static @Nullable Long timer(
      Step.Kind kind, @Nullable Long delay, @Nullable Long deadline, @Nullable Long remind) {
    return switch (kind) {
      case JOB, MAP, WORKFLOW -> null;
      case DELAY -> delay == null ? 0 : delay;
      case GATE ->
          deadline == null || remind == null
              ? (deadline == null ? remind : deadline)
              : Long.valueOf(Math.min(deadline, remind));
    };
  }

  private static Optional<RunChange> change(Tally tally) {
    Counts before = tally.run.counts();
    Counts after = new Counts(tally.open, tally.active, tally.failed, tally.steps, before.edges());
    if (before.equals(after)) {
      return Optional.empty();
    }
    WorkflowStatus status = status(after);
    return Optional.of(
        new RunChange(
            tally.run.id(),
            status,
            after,
            status.isTerminal() ? tally.run.now() : null,
            null,
            null));
  }

  /** How a run is that nobody has canceled. */
  static WorkflowStatus status(Counts counts) {
    if (counts.open() > 0) {
      return counts.active() > 0 ? WorkflowStatus.RUNNING : WorkflowStatus.WAITING;
    }
    return counts.failed() > 0 ? WorkflowStatus.FAILED : WorkflowStatus.SUCCEEDED;
  }
}
