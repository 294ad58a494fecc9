package dev.waybill.internal.workflow;

import dev.waybill.internal.job.JobIds;
import dev.waybill.internal.job.JobKeys;
import dev.waybill.internal.job.Json;
import dev.waybill.internal.job.RequestSnapshot;
import dev.waybill.internal.sql.Database;
import dev.waybill.internal.sql.Tx;
import dev.waybill.internal.store.JobStore;
import dev.waybill.internal.store.WorkflowExpress;
import dev.waybill.internal.store.WorkflowStore;
import dev.waybill.internal.store.WorkflowStore.Defaults;
import dev.waybill.internal.store.WorkflowStore.KeyedRun;
import dev.waybill.internal.store.WorkflowStore.NewRun;
import dev.waybill.job.Scope;
import dev.waybill.workflow.Problem;
import dev.waybill.workflow.Started;
import dev.waybill.workflow.Step;
import dev.waybill.workflow.Workflow;
import dev.waybill.workflow.WorkflowException.DefinitionUnavailable;
import dev.waybill.workflow.WorkflowException.IdempotencyConflict;
import dev.waybill.workflow.WorkflowException.InvalidState;
import dev.waybill.workflow.WorkflowException.InvalidWorkflow;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Writes a run, its steps and its edges, and makes jobs of the steps that wait for nothing. A call
 * that is refused leaves nothing behind, although its transaction goes on.
 */
final class WorkflowStarter {
  /** Whoever had the active key may end between our insert and our question. */
  private static final int TRIES = 5;

  private final JobIds ids;
  private final Optional<WorkflowExpress> express;

  WorkflowStarter(JobIds ids, Optional<WorkflowExpress> express) {
    this.ids = ids;
    this.express = express;
  }

  /** A run to be: everything about it but what its types decide. */
  private record Draft(Workflow workflow, Graph graph, NewRun run) {
    /** Whether one statement says it all: what begins others at once takes more. */
    boolean isPlain() {
      return graph.toBegin().isEmpty()
          && workflow.steps().stream().noneMatch(step -> step.kind() == Step.Kind.WORKFLOW);
    }

    boolean begin(Tx tx, WorkflowExpress way) {
      return way.begin(
          tx,
          run,
          Graph.types(workflow.steps()),
          graph.steps(Map.of()),
          graph.edges(),
          workflow.attributes());
    }
  }

  private Draft draft(Workflow workflow) {
    check(workflow);
    Graph graph = new Graph(ids, workflow.steps(), List.of());
    return new Draft(workflow, graph, row(workflow, graph));
  }

  /** In a transaction of its own, which is one statement if that can say it all. */
  Started start(Database database, Workflow workflow) {
    Draft draft = draft(workflow);
    return express.isPresent()
            && draft.isPlain()
            && database.single(tx -> draft.begin(tx, express.get()))
        ? new Started(draft.run().id(), Started.Outcome.STARTED)
        : database.transact(tx -> start(tx, draft));
  }

  Started start(Tx tx, Workflow workflow) {
    Draft draft = draft(workflow);
    return express.isPresent() && draft.isPlain() && draft.begin(tx, express.get())
        ? new Started(draft.run().id(), Started.Outcome.STARTED)
        : start(tx, draft);
  }

  private Started start(Tx tx, Draft draft) {
    Workflow workflow = draft.workflow();
    Graph graph = draft.graph();
    NewRun run = draft.run();
    WorkflowStore store = WorkflowStore.in(tx);
    if (run.idempotencyHash() == null && run.activeHash() == null) {
      Map<String, Defaults> defaults = defaults(store, workflow.steps());
      store.insert(run);
      return started(tx, store, workflow, run, graph, defaults);
    }
    // A look first is not enough: what is not there yet cannot be locked by all databases alike.
    for (int i = 0; i < TRIES; i++) {
      String active = run.activeHash();
      boolean isTaken = active != null && store.holder(active).isPresent();
      if (!isTaken) {
        store.insert(run);
      }
      if (!isTaken && isMine(store, run)) {
        return started(tx, store, workflow, run, graph, defaultsOrNothing(store, workflow, run));
      }
      Optional<Started> existing = existing(store, workflow, run);
      if (existing.isPresent()) {
        return existing.get();
      }
      if (active != null) {
        store.free(List.of(active));
      }
    }
    throw new InvalidState(
        "workflow.active_key_contended",
        "The active key of workflow "
            + workflow.type()
            + " changes hands all the time; try again.");
  }

  private Started started(
      Tx tx,
      WorkflowStore store,
      Workflow workflow,
      NewRun run,
      Graph graph,
      Map<String, Defaults> defaults) {
    store.insert(run.id(), graph.steps(defaults), graph.edges());
    store.attributes(run.id(), workflow.attributes());
    Runs.begin(tx, ids, run.id(), graph.toBegin());
    return new Started(run.id(), Started.Outcome.STARTED);
  }

  /** Asked after the keys, because a repetition is answered also if a type is disabled since. */
  private static Map<String, Defaults> defaultsOrNothing(
      WorkflowStore store, Workflow workflow, NewRun run) {
    try {
      return defaults(store, workflow.steps());
    } catch (DefinitionUnavailable e) {
      store.discard(run.id());
      throw e;
    }
  }

  private static void check(Workflow workflow) {
    List<Problem> problems = new ArrayList<>(Graph.problems(workflow.steps()));
    String complaint = Json.complaintAbout(workflow.input());
    if (complaint != null) {
      problems.add(new Problem("workflow.invalid_input", "", "the input " + complaint));
    }
    if (!problems.isEmpty()) {
      throw new InvalidWorkflow("The workflow '" + workflow.type() + "'", problems);
    }
  }

  static Map<String, Defaults> defaults(WorkflowStore store, List<Step> steps) {
    Set<String> types = Graph.types(steps);
    Map<String, Defaults> defaults = types.isEmpty() ? Map.of() : store.defaults(types);
    List<String> missing = types.stream().filter(type -> !defaults.containsKey(type)).toList();
    if (!missing.isEmpty()) {
      throw new DefinitionUnavailable(missing);
    }
    return defaults;
  }

  private NewRun row(Workflow workflow, Graph graph) {
    String tenant = tenant(workflow.scope());
    String key = workflow.idempotencyKey();
    String active = workflow.activeKey();
    return new NewRun(
        ids.next(),
        workflow.type(),
        tenant,
        Avalanche.status(graph.counts()),
        graph.counts(),
        workflow.resultStep(),
        key,
        key == null ? null : idempotencyHash(workflow.type(), tenant, key),
        active,
        active == null ? null : activeHash(tenant, active),
        null,
        null,
        workflow.input(),
        key == null ? null : WorkflowSnapshot.of(workflow));
  }

  static String tenant(Scope scope) {
    return Objects.requireNonNullElse(JobStore.tenantOrAny(scope), "");
  }

  static String idempotencyHash(String type, String tenant, String key) {
    return JobKeys.digest("workflow", type, tenant, key);
  }

  static String activeHash(String tenant, String key) {
    return JobKeys.digest("workflow-active", tenant, key);
  }

  /** Whoever got one of its keys got both, or the row would not be there. */
  private static boolean isMine(WorkflowStore store, NewRun run) {
    String forGood = run.idempotencyHash();
    return (forGood != null
            ? store.byIdempotency(forGood)
            : store.byActive(String.valueOf(run.activeHash())))
        .map(KeyedRun::id)
        .filter(run.id()::equals)
        .isPresent();
  }

  private static Optional<Started> existing(WorkflowStore store, Workflow workflow, NewRun run) {
    String forGood = run.idempotencyHash();
    Optional<KeyedRun> same = forGood == null ? Optional.empty() : store.byIdempotency(forGood);
    if (same.isPresent()) {
      compare(workflow, same.get(), run.request());
      return Optional.of(new Started(same.get().id(), Started.Outcome.EXISTING));
    }
    String active = run.activeHash();
    return active == null
        ? Optional.empty()
        : store.byActive(active).map(other -> new Started(other.id(), Started.Outcome.ACTIVE));
  }

  private static void compare(Workflow workflow, KeyedRun other, @Nullable String request) {
    String mine = String.valueOf(request);
    String before = other.request() == null ? "{}" : other.request();
    if (!mine.equals(before)) {
      throw new IdempotencyConflict(
          "workflow.enqueue_conflicting_retry",
          "The idempotency key of a workflow '" + workflow.type() + "'",
          other.id(),
          RequestSnapshot.differences(mine, before));
    }
  }
}
