package dev.waybill.workflow;

import dev.waybill.job.Scope;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Which runs to list: newest first, but of a status in which they have ended, the latest end first.
 * A status is found by an index, however many other runs there are and however old they are; so is
 * an attribute, and then the status is looked at run by run. So is the type.
 *
 * @param scope whose
 * @param type of which type; null for any
 * @param status in which status; null for any
 * @param attribute with which attribute; null for any
 * @param after the page after this run; null for the first. In a list by their end there is no page
 *     after one that was purged or retried meanwhile
 * @param limit how many at most, 1 to 1000
 */
public record WorkflowFilter(
    Scope scope,
    @Nullable String type,
    @Nullable WorkflowStatus status,
    Map.@Nullable Entry<String, String> attribute,
    @Nullable UUID after,
    int limit) {
  public WorkflowFilter {
    Objects.requireNonNull(scope, "scope");
    if (limit < 1 || limit > 1000) {
      throw new WorkflowException.InvalidArgument(
          "workflow.invalid_pagination", "A page has 1 to 1000 entries, not " + limit + ".");
    }
  }

  /** All of a scope, in pages of 100. */
  public static WorkflowFilter in(Scope scope) {
    return new WorkflowFilter(scope, null, null, null, null, 100);
  }

  /** Of this type. */
  public WorkflowFilter withType(String value) {
    return new WorkflowFilter(scope, value, status, attribute, after, limit);
  }

  /** In this status. */
  public WorkflowFilter withStatus(WorkflowStatus value) {
    return new WorkflowFilter(scope, type, value, attribute, after, limit);
  }

  /** With this attribute. */
  public WorkflowFilter withAttribute(String name, String value) {
    return new WorkflowFilter(scope, type, status, Map.entry(name, value), after, limit);
  }

  /** The page after this run. */
  public WorkflowFilter withAfter(UUID value) {
    return new WorkflowFilter(scope, type, status, attribute, value, limit);
  }

  /** So many at most. */
  public WorkflowFilter withLimit(int value) {
    return new WorkflowFilter(scope, type, status, attribute, after, value);
  }
}
