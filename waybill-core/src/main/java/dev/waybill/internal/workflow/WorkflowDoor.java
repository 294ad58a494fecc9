package dev.waybill.internal.workflow;

import dev.waybill.internal.job.JobIds;
import dev.waybill.internal.job.Wording;
import dev.waybill.internal.loop.Bell;
import dev.waybill.internal.sql.Database;
import dev.waybill.internal.sql.Endings;
import dev.waybill.internal.sql.Endings.Ending;
import dev.waybill.internal.sql.Session;
import dev.waybill.internal.sql.Tx;
import dev.waybill.internal.store.WorkflowExpress;
import dev.waybill.internal.store.WorkflowListStore;
import dev.waybill.internal.store.WorkflowReadStore;
import dev.waybill.job.Scope;
import dev.waybill.workflow.Append;
import dev.waybill.workflow.Compensation;
import dev.waybill.workflow.GateCompletion;
import dev.waybill.workflow.Rerun;
import dev.waybill.workflow.Started;
import dev.waybill.workflow.Step;
import dev.waybill.workflow.StepInfo;
import dev.waybill.workflow.WaitingGate;
import dev.waybill.workflow.Workflow;
import dev.waybill.workflow.WorkflowException.InvalidArgument;
import dev.waybill.workflow.WorkflowException.NotFound;
import dev.waybill.workflow.WorkflowFilter;
import dev.waybill.workflow.WorkflowInfo;
import dev.waybill.workflow.WorkflowStatus;
import dev.waybill.workflow.Workflows;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The door: opens a transaction, or joins the caller's, and asks whoever knows. */
final class WorkflowDoor implements Workflows {
  private static final int LARGEST_PAGE = 1000;

  /** What the timekeeper may have to hear of: runs without any of these have no timers. */
  private static final Set<Step.Kind> TIMED =
      Set.of(Step.Kind.GATE, Step.Kind.DELAY, Step.Kind.WORKFLOW);

  private final Database database;
  private final WorkflowStarter starter;
  private final WorkflowAppender appender;
  private final GateKeeper gates;
  private final WorkflowCanceler canceler;
  private final Runnable wakeJobs;
  private final Bell timers;
  private final WorkflowRetrier retrier;
  private final WorkflowRerunner rerunner;
  private final WorkflowCompensator compensator;
  private final WorkflowWatch watch;
  private final Endings endings;

  WorkflowDoor(
      Database database,
      JobIds ids,
      Runnable wakeJobs,
      Bell timers,
      WorkflowWatch watch,
      Endings endings) {
    this.database = database;
    this.starter = new WorkflowStarter(ids, WorkflowExpress.of(database));
    this.appender = new WorkflowAppender(ids);
    this.gates = new GateKeeper(ids);
    this.canceler = new WorkflowCanceler(ids);
    this.retrier = new WorkflowRetrier(ids);
    this.rerunner = new WorkflowRerunner(ids);
    this.compensator = new WorkflowCompensator(ids);
    this.wakeJobs = wakeJobs;
    this.timers = timers;
    this.watch = watch;
    this.endings = endings;
  }

  @Override
  public Started start(Connection connection, Workflow workflow) {
    return joined(connection, isTimed(workflow), tx -> starter.start(tx, workflow));
  }

  @Override
  public Started start(Workflow workflow) {
    Started started = starter.start(database, workflow);
    wake(isTimed(workflow));
    return started;
  }

  private static boolean isTimed(Workflow workflow) {
    return workflow.steps().stream().anyMatch(step -> TIMED.contains(step.kind()));
  }

  private <T> T thenWake(Function<Tx, T> work) {
    T result = database.transact(work);
    wake();
    return result;
  }

  /** Work in the caller's transaction; if that is ended here, others are woken after it. */
  private <T> T joined(Connection connection, boolean timed, Function<Tx, T> work) {
    T result = work.apply(database.join(connection));
    Ending ending = endings.of(connection);
    if (ending != null) {
      ending.with(WorkflowDeparture.class, () -> new WorkflowDeparture(this::wake)).add(timed);
    }
    return result;
  }

  @Override
  public GateCompletion.Outcome completeGate(Connection connection, GateCompletion completion) {
    return joined(connection, true, tx -> gates.complete(tx, completion));
  }

  @Override
  public GateCompletion.Outcome completeGate(GateCompletion completion) {
    return thenWake(tx -> gates.complete(tx, completion));
  }

  @Override
  public Append.Outcome append(Connection connection, Append append) {
    return joined(connection, true, tx -> appender.append(tx, append));
  }

  @Override
  public Append.Outcome append(Append append) {
    return thenWake(tx -> appender.append(tx, append));
  }

  @Override
  public WorkflowInfo cancel(Connection connection, Scope scope, UUID run, String reason) {
    return joined(connection, true, tx -> cancel(tx, scope, run, reason));
  }

  @Override
  public WorkflowInfo cancel(Scope scope, UUID run, String reason) {
    return thenWake(tx -> cancel(tx, scope, run, reason));
  }

  private WorkflowInfo cancel(Tx tx, Scope scope, UUID run, String reason) {
    canceler.cancel(tx, scope, run, reason);
    return WorkflowReadStore.in(tx).getNow(run).orElseThrow(() -> NotFound.run(run));
  }

  @Override
  public WorkflowInfo retry(Scope scope, UUID run, String reason) {
    return thenWake(
        tx -> {
          retrier.retry(tx, scope, run, reason);
          return WorkflowReadStore.in(tx).getNow(run).orElseThrow(() -> NotFound.run(run));
        });
  }

  @Override
  public Started rerun(Rerun order) {
    return thenWake(tx -> rerunner.rerun(tx, order));
  }

  @Override
  public Started compensate(Connection connection, Compensation order) {
    return joined(connection, true, tx -> compensator.compensate(tx, order));
  }

  @Override
  public Started compensate(Compensation order) {
    return thenWake(tx -> compensator.compensate(tx, order));
  }

  @Override
  public WorkflowInfo await(Scope scope, UUID run, Duration timeout) throws InterruptedException {
    WorkflowInfo now = find(scope, run).orElseThrow(() -> NotFound.run(run));
    if (now.status().isTerminal() || timeout.isNegative() || timeout.isZero()) {
      return now;
    }
    watch.await(run, timeout);
    return find(scope, run).orElseThrow(() -> NotFound.run(run));
  }

  @Override
  public Optional<WorkflowInfo> find(Scope scope, UUID run) {
    try (Session session = database.looking().session()) {
      return session.glance(tx -> seen(tx, scope, run));
    }
  }

  private static Optional<WorkflowInfo> seen(Tx tx, Scope scope, UUID run) {
    return WorkflowReadStore.in(tx)
        .get(run)
        .filter(info -> scope instanceof Scope.Admin || scope.equals(info.scope()));
  }

  @Override
  public Optional<WorkflowInfo> findByKey(Scope scope, String type, String idempotencyKey) {
    String hash = WorkflowStarter.idempotencyHash(type, tenant(scope), idempotencyKey);
    return read(tx -> WorkflowReadStore.in(tx).withKey(hash));
  }

  @Override
  public Optional<WorkflowInfo> findActive(Scope scope, String activeKey) {
    String hash = WorkflowStarter.activeHash(tenant(scope), activeKey);
    return read(tx -> WorkflowReadStore.in(tx).withActiveKey(hash));
  }

  private static String tenant(Scope scope) {
    if (scope instanceof Scope.Admin) {
      throw new InvalidArgument("workflow.scope", "A key belongs to one scope: say which.");
    }
    return WorkflowStarter.tenant(scope);
  }

  @Override
  public List<WorkflowInfo> list(WorkflowFilter filter) {
    String type = filter.type();
    Map.Entry<String, String> attribute = filter.attribute();
    boolean isPossible =
        (type == null || Wording.isStorable(type))
            && (attribute == null || Wording.isStorable(attribute.getKey() + attribute.getValue()));
    return isPossible ? read(tx -> WorkflowListStore.in(tx).page(filter)) : List.of();
  }

  @Override
  public List<WaitingGate> waitingGates(
      Scope scope, WaitingGate.@Nullable Position after, int limit) {
    if (limit < 1 || limit > LARGEST_PAGE) {
      throw new InvalidArgument(
          "workflow.invalid_pagination", "A page has 1 to 1000 entries, not " + limit + ".");
    }
    return read(tx -> WorkflowListStore.in(tx).gates(scope, after, limit));
  }

  @Override
  public Optional<WorkflowInfo.Body> body(Scope scope, UUID run) {
    return read(tx -> seen(tx, scope, run).flatMap(info -> WorkflowReadStore.in(tx).body(run)));
  }

  @Override
  public Map<String, String> attributes(Scope scope, UUID run) {
    return read(
        tx ->
            seen(tx, scope, run)
                .map(info -> WorkflowReadStore.in(tx).attributes(run))
                .orElse(Map.of()));
  }

  @Override
  public List<StepInfo> steps(Scope scope, UUID run) {
    return read(
        tx -> seen(tx, scope, run).map(info -> WorkflowReader.steps(tx, run)).orElse(List.of()));
  }

  @Override
  public Optional<StepInfo.Body> stepBody(Scope scope, UUID run, String step) {
    if (!Wording.isStorable(step)) {
      return Optional.empty();
    }
    return read(
        tx -> seen(tx, scope, run).flatMap(info -> WorkflowReadStore.in(tx).stepBody(run, step)));
  }

  @Override
  public int purge(WorkflowStatus status, Duration olderThan, int atMost) {
    if (!status.isTerminal()) {
      throw new InvalidArgument(
          "workflow.purge_status", "Only ended runs are purged, not " + status + ".");
    }
    if (atMost < 1 || atMost > LARGEST_PAGE || olderThan.isNegative()) {
      throw new InvalidArgument(
          "workflow.purge_size", "Between 1 and 1000 runs of some age are purged at a time.");
    }
    return database.transact(
        tx -> WorkflowReadStore.in(tx).purge(status, olderThan.toNanos() / 1000, atMost));
  }

  /** On a snapshot: whoever only looks is in nobody's way. */
  private <T> T read(Function<Tx, T> work) {
    try (Session session = database.looking().session()) {
      return session.snapshot(work);
    }
  }

  @Override
  public void wake() {
    wake(true);
  }

  private void wake(boolean timed) {
    wakeJobs.run();
    if (timed) {
      timers.ring();
    }
  }
}
