package dev.waybill.internal.workflow;

import dev.waybill.internal.job.JobIds;
import dev.waybill.internal.job.JobKeys;
import dev.waybill.internal.job.Json;
import dev.waybill.internal.store.StepState;
import dev.waybill.internal.store.WorkflowRunStore.KnownStep;
import dev.waybill.internal.store.WorkflowStore.Counts;
import dev.waybill.internal.store.WorkflowStore.Defaults;
import dev.waybill.internal.store.WorkflowStore.NewEdge;
import dev.waybill.internal.store.WorkflowStore.NewStep;
import dev.waybill.workflow.Condition;
import dev.waybill.workflow.Dependency;
import dev.waybill.workflow.Problem;
import dev.waybill.workflow.Step;
import dev.waybill.workflow.Workflow;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * New steps and how they begin: released, blocked, or skipped because a step that they wait for has
 * ended already. Steps that were there before are known with their states and outputs.
 */
final class Graph {
  private static final class Node {
    private final Step step;
    private final UUID id;
    private final int place;
    private int pending;
    private int satisfied;
    private StepState state = StepState.BLOCKED;

    Node(Step step, UUID id, int place) {
      this.step = step;
      this.id = id;
      this.place = place;
    }

    private int needed() {
      Integer atLeast = step.atLeast();
      return atLeast == null ? step.after().size() : atLeast;
    }
  }

  private record Follower(Node node, Dependency.Mode mode) {}

  private final Map<String, Node> nodes = new LinkedHashMap<>();
  private final Map<String, KnownStep> known = new HashMap<>();
  private final Map<String, String> tokenHashes;

  Graph(JobIds ids, List<Step> steps, List<KnownStep> before) {
    this(ids, steps, before, Map.of());
  }

  /**
   * Steps that were sealed.
   *
   * @param tokenHashes of gates whose tokens nobody knows here, by their keys
   */
  Graph(JobIds ids, List<Step> steps, List<KnownStep> before, Map<String, String> tokenHashes) {
    this.tokenHashes = tokenHashes;
    int place = before.stream().mapToInt(KnownStep::place).max().orElse(-1);
    for (Step step : steps) {
      nodes.put(step.key(), new Node(step, ids.next(), ++place));
    }
    before.forEach(step -> known.put(step.key(), step));
    begin();
  }

  /** What only a parser can see, in sub-workflows, too. */
  static List<Problem> problems(List<Step> steps) {
    List<Problem> problems = new ArrayList<>();
    for (Step step : steps) {
      complain(problems, step, "payload", Json.complaintAbout(step.payload()));
      for (Dependency edge : step.after()) {
        Condition condition = edge.condition();
        if (condition != null) {
          complain(problems, step, "condition", Conditions.complaintAbout(condition));
        }
      }
      Workflow inner = step.workflow();
      if (inner != null) {
        complain(problems, step, "input", Json.complaintAbout(inner.input()));
        for (Problem problem : problems(inner.steps())) {
          problems.add(
              new Problem(problem.code(), step.key() + " → " + problem.step(), problem.message()));
        }
      }
    }
    return problems;
  }

  private static void complain(
      List<Problem> problems, Step step, String what, @Nullable String complaint) {
    if (complaint != null) {
      problems.add(
          new Problem("workflow.invalid_" + what, step.key(), "the " + what + " " + complaint));
    }
  }

  /** The job types that somebody must have defined. */
  static Set<String> types(List<Step> steps) {
    Set<String> types = new TreeSet<>();
    for (Step step : steps) {
      String type = step.type();
      if (type != null) {
        types.add(type);
      }
      Step.Gate gate = step.gate();
      String reminder = gate == null ? null : gate.remindType();
      if (reminder != null) {
        types.add(reminder);
      }
      Workflow inner = step.workflow();
      if (inner != null) {
        types.addAll(types(inner.steps()));
      }
    }
    return types;
  }

  private void begin() {
    Map<String, List<Follower>> followers = new HashMap<>();
    List<Node> undecided = new ArrayList<>();
    for (Node node : nodes.values()) {
      for (Dependency edge : node.step.after()) {
        KnownStep before = known.get(edge.step());
        if (before == null) {
          followers
              .computeIfAbsent(edge.step(), key -> new ArrayList<>())
              .add(new Follower(node, edge.mode()));
          node.pending++;
        } else if (!before.state().isTerminal()) {
          node.pending++;
        } else if (Avalanche.isSatisfied(
            edge.mode(), edge.condition(), before.state(), before.output())) {
          node.satisfied++;
        }
      }
      undecided.add(node);
    }
    // Whoever is skipped decides others in turn; without recursion, as a chain may be long.
    while (!undecided.isEmpty()) {
      Node node = undecided.remove(undecided.size() - 1);
      if (node.state != StepState.BLOCKED) {
        continue;
      }
      if (node.satisfied >= node.needed()) {
        node.state = node.step.kind() == Step.Kind.GATE ? StepState.WAITING : StepState.RELEASED;
      } else if (node.pending == 0) {
        node.state = StepState.SKIPPED;
        for (Follower follower : followers.getOrDefault(node.step.key(), List.of())) {
          Node next = follower.node();
          next.pending--;
          next.satisfied += follower.mode() == Dependency.Mode.ON_TERMINAL ? 1 : 0;
          undecided.add(next);
        }
      }
    }
  }

  List<NewStep> steps(Map<String, Defaults> defaults) {
    return nodes.values().stream().map(node -> row(node, defaults)).toList();
  }

  private NewStep row(Node node, Map<String, Defaults> defaults) {
    Step step = node.step;
    Defaults type = defaults.get(String.valueOf(step.type()));
    Step.Gate gate = step.gate();
    Step.Over over = step.over();
    Workflow inner = step.workflow();
    Long delay = micros(step.delay());
    Long deadline = gate == null ? null : micros(gate.deadline());
    Long remind = gate == null ? null : micros(gate.remindAfter());
    String resource = step.resourceKey();
    String token = gate == null ? null : gate.token();
    boolean open = node.state == StepState.WAITING || node.state == StepState.RELEASED;
    return new NewStep(
        node.id,
        step.key(),
        node.place,
        step.kind(),
        node.state,
        node.needed(),
        node.pending,
        node.satisfied,
        step.mayFail(),
        step.type(),
        orElse(step.priority(), type == null ? null : type.priority()),
        orElse(step.maxAttempts(), type == null ? null : type.maxAttempts()),
        orElse(micros(step.timeout()), type == null ? null : type.timeoutMicros()),
        step.stage(),
        delay,
        resource,
        resource == null ? null : JobKeys.resource(resource),
        token == null ? tokenHashes.get(step.key()) : GateKeeper.digest(token),
        deadline,
        remind,
        gate == null ? null : gate.remindType(),
        open ? Avalanche.timer(step.kind(), delay, deadline, remind) : null,
        null,
        inner == null ? step.payload() : SealedWorkflow.write(inner, defaults),
        null,
        null,
        null,
        null,
        over == null ? null : over.step(),
        over == null ? null : over.pointer());
  }

  private static <T> @Nullable T orElse(@Nullable T value, @Nullable T other) {
    return value == null ? other : value;
  }

  private static @Nullable Long micros(@Nullable Duration value) {
    return value == null ? null : value.toNanos() / 1000;
  }

  List<NewEdge> edges() {
    List<NewEdge> edges = new ArrayList<>();
    for (Node node : nodes.values()) {
      for (Dependency edge : node.step.after()) {
        edges.add(
            new NewEdge(id(edge.step()), node.id, edge.mode(), Conditions.write(edge.condition())));
      }
    }
    return edges;
  }

  private UUID id(String key) {
    Node node = nodes.get(key);
    KnownStep before = known.get(key);
    if (node != null) {
      return node.id;
    }
    if (before == null) {
      throw new IllegalStateException("An edge leads from " + key + ", which was not found before");
    }
    return before.id();
  }

  /** Steps whose turn has come at once, and which begin others. */
  List<UUID> toBegin() {
    return nodes.values().stream()
        .filter(node -> Expansion.isFor(node.step.kind()) && node.state == StepState.RELEASED)
        .map(node -> node.id)
        .toList();
  }

  /** What these steps add to those of the run. */
  Counts counts() {
    int open = 0;
    int active = 0;
    int edges = 0;
    for (Node node : nodes.values()) {
      open += node.state.isTerminal() ? 0 : 1;
      active += node.state == StepState.RELEASED ? 1 : 0;
      edges += node.step.after().size();
    }
    return new Counts(open, active, 0, nodes.size(), edges);
  }
}
