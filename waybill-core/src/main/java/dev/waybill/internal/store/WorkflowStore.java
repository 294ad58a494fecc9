package dev.waybill.internal.store;

import dev.waybill.internal.sql.Tx;
import dev.waybill.workflow.Dependency;
import dev.waybill.workflow.Step;
import dev.waybill.workflow.WorkflowStatus;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Runs, steps and edges as they are made, in one transaction. */
public final class WorkflowStore {
  /** What a job type says about those who leave it open. */
  public record Defaults(String type, int maxAttempts, long timeoutMicros, int priority) {}

  /** A run to be. */
  public record NewRun(
      UUID id,
      String type,
      String tenant,
      WorkflowStatus status,
      Counts counts,
      @Nullable String resultStep,
      @Nullable String idempotencyKey,
      @Nullable String idempotencyHash,
      @Nullable String activeKey,
      @Nullable String activeHash,
      @Nullable UUID source,
      @Nullable String sourceStep,
      String input,
      @Nullable String request) {
    Map<String, @Nullable Object> fields() {
      Map<String, @Nullable Object> fields = new LinkedHashMap<>();
      fields.put("id", id);
      fields.put("type", type);
      fields.put("tenant", tenant);
      fields.put("status", WorkflowCodes.STATUS.number(status));
      fields.put("open", counts.open());
      fields.put("active", counts.active());
      fields.put("failed", counts.failed());
      fields.put("steps", counts.steps());
      fields.put("edges", counts.edges());
      fields.put("result_step", resultStep);
      fields.put("idempotency_key", idempotencyKey);
      fields.put("idempotency_hash", idempotencyHash);
      fields.put("active_key", activeKey);
      fields.put("active_hash", activeHash);
      fields.put("input", input);
      fields.put("request", request);
      return fields;
    }
  }

  /**
   * How many steps of a run there are.
   *
   * @param open have not ended
   * @param active are released as jobs or delays
   * @param failed count against the run
   */
  public record Counts(int open, int active, int failed, int steps, int edges) {}

  /**
   * A step to be; times in microseconds.
   *
   * @param finishedAt when it ended, if that was in another run; else it is now
   * @param parent the map step that it is an element of
   * @param overStep of a map step: over whose output it is
   * @param overAt of a map step: where in that output
   */
  public record NewStep(
      UUID id,
      String key,
      int place,
      Step.Kind kind,
      StepState state,
      int needed,
      int pending,
      int satisfied,
      boolean mayFail,
      @Nullable String type,
      @Nullable Integer priority,
      @Nullable Integer maxAttempts,
      @Nullable Long timeout,
      String stage,
      @Nullable Long delay,
      @Nullable String resourceKey,
      @Nullable String resourceHash,
      @Nullable String tokenHash,
      @Nullable Long deadline,
      @Nullable Long remind,
      @Nullable String remindType,
      @Nullable Long wake,
      @Nullable Long finishedAt,
      String payload,
      @Nullable String output,
      @Nullable String errorCode,
      @Nullable String errorMessage,
      @Nullable UUID parent,
      @Nullable String overStep,
      @Nullable String overAt) {
    Map<String, @Nullable Object> fields(UUID workflow) {
      Map<String, @Nullable Object> fields = new LinkedHashMap<>();
      fields.put("workflow", workflow);
      fields.put("id", id);
      fields.put("step_key", key);
      fields.put("place", place);
      fields.put("kind", WorkflowCodes.KIND.number(kind));
      fields.put("status", WorkflowCodes.STATE.number(state));
      fields.put("needed", needed);
      fields.put("pending", pending);
      fields.put("satisfied", satisfied);
      fields.put("may_fail", mayFail ? 1 : 0);
      fields.put("type", type);
      fields.put("priority", priority);
      fields.put("max_attempts", maxAttempts);
      fields.put("timeout", timeout);
      fields.put("stage", stage);
      fields.put("delay", delay);
      fields.put("resource_key", resourceKey);
      fields.put("resource_hash", resourceHash);
      fields.put("token_hash", tokenHash);
      fields.put("deadline", deadline);
      fields.put("remind", remind);
      fields.put("remind_type", remindType);
      fields.put("wake", wake);
      fields.put("finished_at", finishedAt);
      fields.put("payload", payload);
      fields.put("output", output);
      fields.put("error_code", errorCode);
      fields.put("error_message", errorMessage);
      fields.put("parent", parent);
      fields.put("over_step", overStep);
      fields.put("over_at", overAt);
      return fields;
    }
  }

  /** An edge to be. */
  public record NewEdge(
      UUID prerequisite, UUID dependent, Dependency.Mode mode, @Nullable String wanted) {
    Map<String, @Nullable Object> fields(UUID workflow) {
      Map<String, @Nullable Object> fields = new LinkedHashMap<>();
      fields.put("workflow", workflow);
      fields.put("prerequisite", prerequisite);
      fields.put("dependent", dependent);
      fields.put("mode", WorkflowCodes.MODE.number(mode));
      fields.put("wanted", wanted);
      return fields;
    }
  }

  /** A run that a step of another run starts, with its steps. */
  public record NewChild(
      UUID id,
      String type,
      String tenant,
      WorkflowStatus status,
      Counts counts,
      @Nullable String resultStep,
      UUID parent,
      String parentStep,
      String input,
      List<NewStep> steps,
      List<NewEdge> edges,
      Map<String, String> attributes) {
    private Map<String, @Nullable Object> fields() {
      Map<String, @Nullable Object> fields = new LinkedHashMap<>();
      fields.put("id", id);
      fields.put("type", type);
      fields.put("tenant", tenant);
      fields.put("status", WorkflowCodes.STATUS.number(status));
      fields.put("open", counts.open());
      fields.put("active", counts.active());
      fields.put("steps", counts.steps());
      fields.put("edges", counts.edges());
      fields.put("result_step", resultStep);
      fields.put("parent", parent);
      fields.put("parent_step", parentStep);
      fields.put("input", input);
      return fields;
    }
  }

  /** Something that belongs to a run. */
  private record Of<T>(UUID run, T thing) {
    static <T> List<Of<T>> all(Map<UUID, ? extends Collection<T>> byRun) {
      List<Of<T>> all = new ArrayList<>();
      byRun.forEach((run, things) -> things.forEach(thing -> all.add(new Of<>(run, thing))));
      return all;
    }
  }

  /** A run that has a key already. */
  public record KeyedRun(UUID id, WorkflowStatus status, @Nullable String request) {}

  /**
   * What became of a run once it was there.
   *
   * @param made the run that was made of it; null if steps were appended
   */
  public record Change(String request, @Nullable UUID made) {}

  /** MariaDB takes 16 MiB unless told otherwise, and a character may have three bytes. */
  private static final int LONGEST = 4 << 20;

  private final Tx tx;

  private WorkflowStore(Tx tx) {
    this.tx = tx;
  }

  /** In this transaction. */
  public static WorkflowStore in(Tx tx) {
    return new WorkflowStore(tx);
  }

  /** The enabled ones of these types. */
  public Map<String, Defaults> defaults(Collection<String> types) {
    Map<String, Defaults> defaults = defaults("workflow_types", types);
    List<String> missing = types.stream().filter(type -> !defaults.containsKey(type)).toList();
    // A caller may have looked at the database before somebody defined them.
    if (!missing.isEmpty()) {
      defaults.putAll(defaults("workflow_types_now", missing));
    }
    return defaults;
  }

  private Map<String, Defaults> defaults(String statement, Collection<String> types) {
    Map<String, Defaults> defaults = new HashMap<>();
    tx.sql(statement)
        .set("types", JsonRows.texts(types))
        .list(
            row ->
                new Defaults(
                    row.text("type"),
                    (int) row.number("max_attempts"),
                    row.number("timeout_micros"),
                    (int) row.number("priority")))
        .forEach(each -> defaults.put(each.type(), each));
    return defaults;
  }

  /** Inserts a run, unless somebody has one of its keys. */
  public void insert(NewRun run) {
    tx.sql("workflow_insert")
        .set("id", run.id())
        .set("type", run.type())
        .set("tenant", run.tenant())
        .set("status", WorkflowCodes.STATUS.number(run.status()))
        .set("open", run.counts().open())
        .set("active", run.counts().active())
        .set("failed", run.counts().failed())
        .set("steps", run.counts().steps())
        .set("edges", run.counts().edges())
        .set("result_step", run.resultStep())
        .set("idempotency_key", run.idempotencyKey())
        .set("idempotency_hash", run.idempotencyHash())
        .set("active_key", run.activeKey())
        .set("active_hash", run.activeHash())
        .set("source", run.source())
        .set("source_step", run.sourceStep())
        .set("input", run.input())
        .set("request", run.request())
        .update();
  }

  /** Deletes a run that has no steps yet. */
  public void discard(UUID id) {
    tx.sql("workflow_purge").set("ids", JsonRows.ids(List.of(id))).update();
  }

  /** Who has this key for good. */
  public Optional<KeyedRun> byIdempotency(String hash) {
    return byHash("workflow_by_idempotency", hash);
  }

  /** Who holds an active key, and goes on holding it. If nobody does, there is room for one. */
  public Optional<UUID> holder(String hash) {
    Optional<UUID> seen = look(hash);
    if (seen.isEmpty()) {
      return seen;
    }
    Optional<UUID> holder = byActive(hash).map(KeyedRun::id);
    if (holder.isEmpty()) {
      free(List.of(hash));
    }
    return holder;
  }

  /** Whose key this was when somebody last committed. He may have ended since, or before. */
  public Optional<UUID> look(String hash) {
    return tx.sql("workflow_active_look").set("hash", hash).first(row -> row.uuid("id"));
  }

  /**
   * Makes room for the next ones who want these active keys, if those who had them have ended.
   *
   * @return how many are free now; not those that somebody else is about to free or to take
   */
  public int free(Collection<String> hashes) {
    return hashes.isEmpty()
        ? 0
        : tx.sql("workflow_active_free").set("hashes", JsonRows.texts(hashes)).update();
  }

  /** Who has this key while it is active. */
  public Optional<KeyedRun> byActive(String hash) {
    return byHash("workflow_by_active", hash);
  }

  private Optional<KeyedRun> byHash(String statement, String hash) {
    return tx.sql(statement)
        .set("hash", hash)
        .first(
            row ->
                new KeyedRun(
                    row.uuid("id"),
                    WorkflowCodes.STATUS.word(row.number("status")),
                    row.textOrNull("request")));
  }

  /** Inserts steps and edges, and makes jobs of those that are released. */
  public void insert(UUID workflow, List<NewStep> steps, List<NewEdge> edges) {
    insert(Map.of(workflow, steps));
    insertEdges(Map.of(workflow, edges));
    enqueue(
        steps.stream()
            .filter(step -> step.kind() == Step.Kind.JOB && step.state() == StepState.RELEASED)
            .map(NewStep::id)
            .toList());
  }

  /** Inserts steps of several runs. */
  public void insert(Map<UUID, List<NewStep>> byRun) {
    insert("workflow_step_insert", Of.all(byRun), row -> row.thing().fields(row.run()));
  }

  private void insertEdges(Map<UUID, List<NewEdge>> byRun) {
    insert("workflow_edge_insert", Of.all(byRun), row -> row.thing().fields(row.run()));
  }

  /** In one statement, unless that would be longer than servers take. */
  private <T> void insert(
      String statement, List<T> rows, Function<T, Map<String, @Nullable Object>> fields) {
    if (rows.isEmpty()) {
      return;
    }
    String batch = JsonRows.objects(rows, fields);
    if (batch.length() > LONGEST && rows.size() > 1) {
      int half = rows.size() / 2;
      insert(statement, rows.subList(0, half), fields);
      insert(statement, rows.subList(half, rows.size()), fields);
    } else {
      tx.sql(statement).set("batch", batch).update();
    }
  }

  /** Inserts runs that steps start, without their steps. */
  public void insertChildren(List<NewChild> runs) {
    if (runs.isEmpty()) {
      return;
    }
    tx.sql("workflow_child_insert").set("batch", JsonRows.objects(runs, NewChild::fields)).update();
    Map<UUID, List<NewEdge>> edges = new LinkedHashMap<>();
    Map<UUID, Collection<Map.Entry<String, String>>> attributes = new LinkedHashMap<>();
    for (NewChild run : runs) {
      edges.put(run.id(), run.edges());
      attributes.put(run.id(), run.attributes().entrySet());
    }
    insertEdges(edges);
    insertAttributes(Of.all(attributes));
  }

  /** Makes jobs of steps. */
  public void enqueue(Collection<UUID> steps) {
    if (!steps.isEmpty()) {
      tx.sql("workflow_job_insert")
          .set("ids", JsonRows.ids(steps))
          .set("ageing", JobStore.AGEING)
          .update();
    }
  }

  /** By what the run can be found. */
  public void attributes(UUID workflow, Map<String, String> attributes) {
    insertAttributes(Of.all(Map.of(workflow, attributes.entrySet())));
  }

  private void insertAttributes(List<Of<Map.Entry<String, String>>> rows) {
    if (!rows.isEmpty()) {
      tx.sql("workflow_attribute_insert")
          .set(
              "batch",
              JsonRows.objects(
                  rows,
                  row -> {
                    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
                    fields.put("workflow", row.run());
                    fields.put("name", row.thing().getKey());
                    fields.put("value", row.thing().getValue());
                    return fields;
                  }))
          .update();
    }
  }

  /** A change that was made before. */
  public Optional<Change> change(UUID workflow, String hash) {
    return tx.sql("workflow_change_find")
        .set("workflow", workflow)
        .set("hash", hash)
        .first(row -> new Change(row.text("request"), row.uuidOrNull("made_id")));
  }

  /** What was made of a run. */
  public List<Change> made(UUID workflow) {
    return tx.sql("workflow_made")
        .set("workflow", workflow)
        .list(row -> new Change(row.text("request"), row.uuidOrNull("made_id")));
  }

  /** Remembers a change. */
  public void insertChange(
      UUID workflow, String hash, String key, String request, @Nullable UUID made) {
    tx.sql("workflow_change_insert")
        .set("workflow", workflow)
        .set("hash", hash)
        .set("key", key)
        .set("request", request)
        .set("made", made)
        .update();
  }

  /** What was appended to a run is known to its copy. */
  public void copyAppendings(UUID source, UUID copy) {
    tx.sql("workflow_change_copy").set("source", source).set("copy", copy).update();
  }
}
