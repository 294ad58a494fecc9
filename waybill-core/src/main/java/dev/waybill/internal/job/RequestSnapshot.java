package dev.waybill.internal.job;

import dev.waybill.job.JobRequest;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What a keyed request said, in the canonical form that is stored with its job. A repetition is the
 * same request exactly if its snapshot is the same text; so this form must never change, which a
 * golden test watches. What is optional and was added later appears only when present.
 */
public final class RequestSnapshot {
  private static final DateTimeFormatter MICROS =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSS'Z'").withZone(ZoneOffset.UTC);

  private RequestSnapshot() {}

  static String of(JobRequest request) {
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    fields.put("payload", Json.parse(request.payload()));
    fields.put("priority", number(request.priority()));
    fields.put("max_attempts", number(request.maxAttempts()));
    var timeout = request.timeout();
    fields.put("timeout_micros", timeout == null ? null : number(timeout.toNanos() / 1000));
    Instant due = request.dueAt();
    fields.put("due_at", due == null ? null : MICROS.format(due));
    fields.put("stage", request.stage());
    var delay = request.delay();
    if (delay != null) {
      fields.put("delay_micros", number(delay.toNanos() / 1000));
    }
    if (request.resourceKey() != null) {
      fields.put("resource_key", request.resourceKey());
    }
    if (request.permits() != 1) {
      fields.put("permits", number(request.permits()));
    }
    return Json.write(fields);
  }

  private static @Nullable BigDecimal number(@Nullable Number value) {
    return value == null ? null : BigDecimal.valueOf(value.longValue());
  }

  /** The fields in which two snapshots differ. */
  public static List<String> differences(String one, String other) {
    Map<?, ?> left = fields(one);
    Map<?, ?> right = fields(other);
    Set<String> names = new TreeSet<>();
    left.keySet().forEach(name -> names.add((String) name));
    right.keySet().forEach(name -> names.add((String) name));
    return names.stream()
        .filter(name -> !Objects.equals(write(left.get(name)), write(right.get(name))))
        .toList();
  }

  private static String write(@Nullable Object value) {
    return Json.write(value);
  }

  private static Map<?, ?> fields(String snapshot) {
    return Json.parse(snapshot) instanceof Map<?, ?> fields ? fields : Map.of();
  }
}
