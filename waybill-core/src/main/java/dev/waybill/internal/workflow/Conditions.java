package dev.waybill.internal.workflow;

import dev.waybill.internal.job.Json;
import dev.waybill.workflow.Condition;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Conditions as they are stored, and whether an output satisfies one. */
final class Conditions {
  private Conditions() {}

  static @Nullable String write(@Nullable Condition condition) {
    return condition == null ? null : Json.write(fields(condition));
  }

  static Map<String, @Nullable Object> fields(Condition condition) {
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    fields.put("at", condition.pointer());
    fields.put("test", condition.test().name());
    String value = condition.value();
    if (value != null) {
      fields.put("value", Json.parse(value));
    }
    return fields;
  }

  static @Nullable Condition read(@Nullable String stored) {
    if (stored == null || !(Json.parse(stored) instanceof Map<?, ?> fields)) {
      return null;
    }
    return new Condition(
        String.valueOf(fields.get("at")),
        Condition.Test.valueOf(String.valueOf(fields.get("test"))),
        fields.containsKey("value") ? Json.write(fields.get("value")) : null);
  }

  /** What is wrong with it, besides its form; null if nothing is. */
  static @Nullable String complaintAbout(Condition condition) {
    String value = condition.value();
    String complaint = value == null ? null : Json.complaintAbout(value);
    if (complaint != null || value == null) {
      return complaint;
    }
    boolean ordered =
        condition.test() == Condition.Test.LESS || condition.test() == Condition.Test.GREATER;
    Object parsed = Json.parse(value);
    return ordered && !(parsed instanceof BigDecimal) && !(parsed instanceof String)
        ? "is neither a number nor a text, so nothing is less or greater"
        : null;
  }

  static boolean isSatisfied(@Nullable Condition condition, @Nullable String output) {
    if (condition == null) {
      return true;
    }
    Optional<Place> place = output == null ? Optional.empty() : at(output, condition.pointer());
    if (place.isEmpty()) {
      return condition.test() == Condition.Test.ABSENT
          || condition.test() == Condition.Test.NOT_EQUAL;
    }
    Object actual = place.get().value();
    String text = condition.value();
    Object value = text == null ? null : Json.parse(text);
    return switch (condition.test()) {
      case PRESENT -> true;
      case ABSENT -> false;
      case EQUAL -> isEqual(actual, value);
      case NOT_EQUAL -> !isEqual(actual, value);
      case LESS -> compare(actual, value).filter(order -> order < 0).isPresent();
      case GREATER -> compare(actual, value).filter(order -> order > 0).isPresent();
    };
  }

  private static boolean isEqual(@Nullable Object one, @Nullable Object other) {
    return Json.write(one).equals(Json.write(other));
  }

  private static Optional<Integer> compare(@Nullable Object one, @Nullable Object other) {
    if (one instanceof BigDecimal left && other instanceof BigDecimal right) {
      return Optional.of(left.compareTo(right));
    }
    if (one instanceof String left && other instanceof String right) {
      return Optional.of(left.compareTo(right));
    }
    return Optional.empty();
  }

  /** What is at a place, which may be null. */
  record Place(@Nullable Object value) {}

  static Optional<Place> at(String output, String pointer) {
    Object value = Json.parse(output);
    if (pointer.isEmpty()) {
      return Optional.of(new Place(value));
    }
    for (String escaped : pointer.substring(1).split("/", -1)) {
      String name = escaped.replace("~1", "/").replace("~0", "~");
      if (value instanceof Map<?, ?> members && members.containsKey(name)) {
        value = members.get(name);
      } else if (value instanceof List<?> elements && isIndex(name, elements.size())) {
        value = elements.get(Integer.parseInt(name));
      } else {
        return Optional.empty();
      }
    }
    return Optional.of(new Place(value));
  }

  private static boolean isIndex(String name, int size) {
    return name.matches("0|[1-9][0-9]{0,8}") && Integer.parseInt(name) < size;
  }

  /** Whether two texts are the same JSON. */
  static boolean isSame(@Nullable String one, @Nullable String other) {
    return Objects.equals(
        one == null ? null : Json.canonical(one), other == null ? null : Json.canonical(other));
  }
}
