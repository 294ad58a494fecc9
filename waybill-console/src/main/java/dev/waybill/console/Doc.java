package dev.waybill.console;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A JSON object to be: members in the order in which they were put, without those that are null.
 */
final class Doc {
  private final Map<String, Object> members = new LinkedHashMap<>();

  static Doc of(String name, @Nullable Object value) {
    return new Doc().put(name, value);
  }

  /** Times become ISO text, durations milliseconds, enums their names. */
  Doc put(String name, @Nullable Object value) {
    if (value instanceof Instant || value instanceof Enum<?>) {
      members.put(name, value.toString());
    } else if (value instanceof Duration duration) {
      members.put(name, duration.toMillis());
    } else if (value != null) {
      members.put(name, value);
    }
    return this;
  }

  Map<String, Object> members() {
    return members;
  }

  String json() {
    return Json.write(this);
  }
}
