package dev.waybill.internal.workflow;

import dev.waybill.DatabaseException;
import dev.waybill.DatabaseException.Kind;
import dev.waybill.internal.job.JobIds;
import dev.waybill.internal.job.JobWakeups;
import dev.waybill.internal.job.Json;
import dev.waybill.internal.loop.Next;
import dev.waybill.internal.loop.Worker;
import dev.waybill.internal.sql.Database;
import dev.waybill.internal.sql.Tx;
import dev.waybill.internal.store.JobStore;
import dev.waybill.internal.store.JobStore.NewJob;
import dev.waybill.internal.store.StepState;
import dev.waybill.internal.store.WorkflowChildStore;
import dev.waybill.internal.store.WorkflowChildStore.Untold;
import dev.waybill.internal.store.WorkflowRunStore;
import dev.waybill.internal.store.WorkflowRunStore.Due;
import dev.waybill.internal.store.WorkflowRunStore.LockedRun;
import dev.waybill.internal.store.WorkflowRunStore.StepChange;
import dev.waybill.internal.store.WorkflowRunStore.Timer;
import dev.waybill.workflow.Step;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends delays that have passed and gates that nobody completed in time, reminds of open gates,
 * tells parents of ended runs that could not be told at once, and frees the active keys of canceled
 * runs. Sleeps until the next timer, but not so long that one set elsewhere would be late.
 */
final class WorkflowTimekeeper implements Worker {
  static final String DEADLINE = "workflow.gate_deadline";

  private static final Logger log = LoggerFactory.getLogger(WorkflowTimekeeper.class);
  private static final int BATCH = 200;
  private static final Duration BUSY = Duration.ofMillis(20);

  private final Database database;
  private final JobIds ids;
  private final Duration longest;
  private final JobWakeups wakeups;

  WorkflowTimekeeper(Database database, JobIds ids, Duration longest, JobWakeups wakeups) {
    this.database = database;
    this.ids = ids;
    this.longest = longest;
    this.wakeups = wakeups;
  }

  @Override
  public String name() {
    return "workflow-timekeeper";
  }

  @Override
  public Next runOnce() {
    Look look =
        database.transact(
            tx -> {
              WorkflowRunStore.in(tx).unhold();
              return Look.first(tx);
            });
    if (!look.isEmpty()) {
      int done = work(look);
      if (done > 0) {
        wakeups.wake();
      }
      return done > 0 ? Next.now() : Next.after(BUSY);
    }
    Duration next =
        database.transact(tx -> WorkflowRunStore.in(tx).untilNextTimer()).orElse(longest);
    if (next.isNegative() || next.isZero()) {
      return Next.now();
    }
    return Next.whenRung(next.compareTo(longest) < 0 ? next : longest);
  }

  /** What is left belongs to runs that somebody holds; what comes behind it does not wait. */
  private int work(Look first) {
    int done = 0;
    RuntimeException refused = null;
    for (Look look = first; !look.isEmpty(); ) {
      Look now = look;
      int here;
      try {
        here = done(now);
      } catch (RuntimeException e) {
        if (isPassing(e)) {
          throw e;
        }
        refused = e;
        here = runByRun(now);
      }
      done += here;
      look = here < now.size() ? database.transact(now::behind) : Look.NOTHING;
    }
    if (refused != null && done == 0) {
      throw refused;
    }
    return done;
  }

  private int done(Look look) {
    return database.transact(tx -> ring(tx, look.due()) + tell(tx, look.untold()));
  }

  /** A run that cannot go on must not hold up the others. */
  private int runByRun(Look look) {
    int done = 0;
    for (Look ofOne : look.byRun()) {
      try {
        done += done(ofOne);
      } catch (RuntimeException e) {
        if (isPassing(e)) {
          throw e;
        }
        log.error("What is due cannot be done, and is tried again: {}", ofOne, e);
      }
    }
    return done;
  }

  /** Whether the same may succeed later. */
  private static boolean isPassing(RuntimeException failure) {
    return failure instanceof DatabaseException e
        && (e.kind() == Kind.CONTENTION || e.kind() == Kind.DISCONNECTED);
  }

  /** What there is to do, as it looks without a lock. */
  private record Look(List<Due> due, List<Untold> untold) {
    static final Look NOTHING = new Look(List.of(), List.of());

    static Look first(Tx tx) {
      return new Look(
          WorkflowRunStore.in(tx).due(BATCH, null), WorkflowChildStore.in(tx).untold(BATCH, null));
    }

    /** What there may be more than was looked at. */
    Look behind(Tx tx) {
      return new Look(
          due.size() < BATCH ? List.of() : WorkflowRunStore.in(tx).due(BATCH, due.get(BATCH - 1)),
          untold.size() < BATCH
              ? List.of()
              : WorkflowChildStore.in(tx).untold(BATCH, untold.get(BATCH - 1)));
    }

    Collection<Look> byRun() {
      Map<UUID, Look> runs = new LinkedHashMap<>();
      due.forEach(each -> of(runs, each.workflow()).due.add(each));
      untold.forEach(each -> of(runs, each.id()).untold.add(each));
      return runs.values();
    }

    private static Look of(Map<UUID, Look> runs, UUID run) {
      return runs.computeIfAbsent(run, id -> new Look(new ArrayList<>(), new ArrayList<>()));
    }

    int size() {
      return due.size() + untold.size();
    }

    boolean isEmpty() {
      return size() == 0;
    }
  }

  private int tell(Tx tx, List<Untold> untold) {
    Map<UUID, Untold> byRun = new HashMap<>();
    untold.forEach(each -> byRun.put(each.id(), each));
    if (byRun.isEmpty()) {
      return 0;
    }
    List<UUID> orphans = new ArrayList<>();
    Map<UUID, UUID> parents = new HashMap<>();
    for (LockedRun run : WorkflowRunStore.in(tx).lock(byRun.keySet(), false)) {
      Untold each = byRun.get(run.id());
      if (each != null && each.isOrphan()) {
        orphans.add(run.id());
      } else if (each != null && run.status().isTerminal()) {
        parents.put(run.id(), each.parent());
      }
    }
    WorkflowChildStore.in(tx).told(orphans);
    return orphans.size() + Parents.tell(tx, ids, parents);
  }

  private int ring(Tx tx, List<Due> due) {
    if (due.isEmpty()) {
      return 0;
    }
    WorkflowRunStore store = WorkflowRunStore.in(tx);
    Set<UUID> wanted = new HashSet<>();
    due.forEach(each -> wanted.add(each.workflow()));
    Map<UUID, LockedRun> runs = new HashMap<>();
    store.lock(wanted, false).forEach(run -> runs.put(run.id(), run));
    List<UUID> steps =
        due.stream().filter(each -> runs.containsKey(each.workflow())).map(Due::step).toList();
    if (steps.isEmpty()) {
      return 0;
    }
    List<StepEnd> ends = new ArrayList<>();
    List<StepChange> reminded = new ArrayList<>();
    for (Timer timer : store.timers(steps)) {
      LockedRun run = runs.get(timer.workflow());
      if (run == null || timer.wakeAt().isAfter(run.now())) {
        continue;
      }
      if (timer.kind() == Step.Kind.DELAY) {
        ends.add(end(timer, StepState.SUCCEEDED, null, null));
      } else if (isOver(timer, run.now())) {
        ends.add(end(timer, StepState.FAILED, DEADLINE, "nobody completed the gate in time"));
      } else {
        remind(tx, timer);
        reminded.add(wait(timer));
      }
    }
    store.change(reminded);
    new Avalanche(tx, ids, runs.values()).end(ends);
    return ends.size() + reminded.size();
  }

  private static boolean isOver(Timer timer, Instant now) {
    Instant deadline = deadline(timer);
    return deadline != null && !deadline.isAfter(now);
  }

  private static @Nullable Instant deadline(Timer timer) {
    Long micros = timer.deadline();
    return micros == null ? null : timer.releasedAt().plus(micros, ChronoUnit.MICROS);
  }

  private static StepEnd end(
      Timer timer, StepState state, @Nullable String code, @Nullable String message) {
    return StepEnd.of(timer.workflow(), timer.step(), state, null, code, message, null);
  }

  private static StepChange wait(Timer timer) {
    return new StepChange(
        timer.step(),
        StepState.WAITING,
        null,
        null,
        null,
        null,
        deadline(timer),
        null,
        null,
        null,
        null);
  }

  private void remind(Tx tx, Timer timer) {
    String type = timer.remindType();
    if (type == null) {
      return;
    }
    Map<String, @Nullable Object> payload = new HashMap<>();
    payload.put("workflow", timer.workflow().toString());
    payload.put("type", timer.type());
    payload.put("gate", timer.key());
    NewJob reminder =
        new NewJob(
            ids.next(),
            type,
            timer.tenant(),
            null,
            null,
            null,
            null,
            null,
            "queued",
            null,
            null,
            1,
            null,
            null,
            null,
            null,
            Json.write(payload));
    if (JobStore.in(tx).insert(List.of(reminder)) == 0) {
      log.warn(
          "Nobody is reminded of gate {} of run {}: job type {} is not defined or disabled",
          timer.key(),
          timer.workflow(),
          type);
    }
  }
}
