package dev.waybill.workflow;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A graph as a picture, or as text that others draw, before it runs or while it does. */
public final class WorkflowPicture {
  /** A map step with more elements is drawn without them. */
  private static final int MOST_ELEMENTS = 30;

  /** A step in the picture. */
  record Node(
      String key,
      Step.Kind kind,
      Optional<StepStatus> status,
      List<Dependency> after,
      String join) {}

  private final String title;
  private final List<Node> nodes = new ArrayList<>();

  private WorkflowPicture(String title) {
    this.title = title;
  }

  /** A workflow that is not started. */
  public static WorkflowPicture of(Workflow workflow) {
    WorkflowPicture picture = new WorkflowPicture(workflow.type());
    for (Step step : workflow.steps()) {
      Integer atLeast = step.atLeast();
      int needed = atLeast == null ? step.after().size() : atLeast;
      picture.nodes.add(
          new Node(
              step.key(), step.kind(), Optional.empty(), step.after(), join(needed, step.after())));
    }
    return picture;
  }

  /** A run as it is. */
  public static WorkflowPicture of(WorkflowInfo run, List<StepInfo> steps) {
    WorkflowPicture picture = new WorkflowPicture(run.type() + " " + run.status());
    Map<String, List<StepInfo>> elements = new HashMap<>();
    for (StepInfo step : steps) {
      String map = step.map();
      if (map != null) {
        elements.computeIfAbsent(map, key -> new ArrayList<>()).add(step);
      }
    }
    for (StepInfo step : steps) {
      List<StepInfo> own = elements.getOrDefault(step.key(), List.of());
      String map = step.map();
      if (own.size() > MOST_ELEMENTS) {
        // As one box, which stands where its elements would.
        String join = step.satisfied() + " of " + own.size();
        picture.add(step, own.get(0).after(), join);
      } else if (map == null || elements.getOrDefault(map, own).size() <= MOST_ELEMENTS) {
        picture.add(step, step.after(), join(step.needed(), step.after()));
      }
    }
    return picture;
  }

  private void add(StepInfo step, List<Dependency> after, String join) {
    nodes.add(new Node(step.key(), step.kind(), Optional.of(step.status()), after, join));
  }

  private static String join(int needed, List<Dependency> after) {
    return needed == after.size() ? "" : needed + " of " + after.size();
  }

  /** For Graphviz. */
  public String dot() {
    StringBuilder out = new StringBuilder("digraph workflow {\n  rankdir=LR;\n");
    out.append("  label=").append(quoted(title)).append(";\n");
    out.append("  node [style=filled, fontname=\"sans-serif\"];\n");
    for (Node node : nodes) {
      out.append("  ")
          .append(quoted(node.key()))
          .append(" [label=")
          .append(quoted(label(node, "\\n")))
          .append(", shape=")
          .append(
              switch (node.kind()) {
                case JOB -> "box";
                case GATE -> "diamond";
                case DELAY -> "ellipse";
                case MAP -> "box3d";
                case WORKFLOW -> "folder";
              })
          .append(", fillcolor=\"")
          .append(color(node))
          .append("\"];\n");
    }
    for (Node node : nodes) {
      for (Dependency edge : node.after()) {
        out.append("  ").append(quoted(edge.step())).append(" -> ").append(quoted(node.key()));
        out.append(" [label=").append(quoted(label(edge)));
        out.append(edge.mode() == Dependency.Mode.ON_TERMINAL ? ", style=dashed];\n" : "];\n");
      }
    }
    return out.append("}\n").toString();
  }

  /** For Mermaid. */
  public String mermaid() {
    Map<String, String> ids = new HashMap<>();
    StringBuilder out = new StringBuilder("flowchart LR\n");
    for (Node node : nodes) {
      String id = "s" + ids.size();
      ids.put(node.key(), id);
      String label = "\"" + escaped(label(node, "<br/>")) + "\"";
      out.append("  ")
          .append(id)
          .append(
              switch (node.kind()) {
                case JOB -> "[" + label + "]";
                case GATE -> "{" + label + "}";
                case DELAY -> "(" + label + ")";
                case MAP -> "[[" + label + "]]";
                case WORKFLOW -> "[/" + label + "/]";
              })
          .append("\n  style ")
          .append(id)
          .append(" fill:")
          .append(color(node))
          .append('\n');
    }
    for (Node node : nodes) {
      for (Dependency edge : node.after()) {
        String label = label(edge);
        out.append("  ")
            .append(ids.get(edge.step()))
            .append(edge.mode() == Dependency.Mode.ON_TERMINAL ? " -.->" : " -->")
            .append(label.isEmpty() ? "" : "|\"" + escaped(label) + "\"|")
            .append(' ')
            .append(ids.get(node.key()))
            .append('\n');
      }
    }
    return out.toString();
  }

  /** A picture by itself, for a page or a file. */
  public String svg() {
    return new WorkflowDrawing(title, nodes).svg();
  }

  private static String label(Node node, String lineBreak) {
    StringBuilder label = new StringBuilder(node.key());
    if (!node.join().isEmpty()) {
      label.append(lineBreak).append(node.join());
    }
    node.status().ifPresent(status -> label.append(lineBreak).append(status));
    return label.toString();
  }

  static String label(Dependency edge) {
    Condition condition = edge.condition();
    if (condition == null) {
      return "";
    }
    String sign =
        switch (condition.test()) {
          case EQUAL -> " = ";
          case NOT_EQUAL -> " ≠ ";
          case LESS -> " < ";
          case GREATER -> " > ";
          case PRESENT -> " is there";
          case ABSENT -> " is not there";
        };
    return condition.pointer() + sign + (condition.value() == null ? "" : condition.value());
  }

  static String color(Node node) {
    return node.status()
        .map(
            status ->
                switch (status) {
                  case BLOCKED -> "#eeeeee";
                  case ENQUEUED -> "#cfe2ff";
                  case RUNNING -> "#6ea8fe";
                  case WAITING -> "#ffe69c";
                  case SUCCEEDED -> "#a3cfbb";
                  case FAILED -> "#f1aeb5";
                  case CANCELED -> "#d3b8d8";
                  case SKIPPED -> "#ffffff";
                })
        .orElse("#eeeeee");
  }

  private static String quoted(String text) {
    return "\"" + text.replace("\"", "\\\"") + "\"";
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;")
        .replace("\"", "&quot;")
        .replace("<br/>", "\n")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\n", "<br/>");
  }
}
