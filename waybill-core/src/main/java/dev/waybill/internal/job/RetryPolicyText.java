package dev.waybill.internal.job;

import dev.waybill.job.JobException.InvalidDefinition;
import dev.waybill.job.RetryPolicy;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A retry policy as it is stored, where the reaper of any process finds it. */
final class RetryPolicyText {
  private static final Logger log = LoggerFactory.getLogger(RetryPolicyText.class);

  private RetryPolicyText() {}

  static String write(RetryPolicy policy) {
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    fields.put("base", micros(policy.base()));
    fields.put("factor", BigDecimal.valueOf(policy.factor()));
    fields.put("cap", micros(policy.cap()));
    fields.put("retry_panics", policy.retryPanics());
    Map<String, @Nullable Object> codes = new TreeMap<>();
    policy.byCode().forEach((code, delay) -> codes.put(code, micros(delay)));
    fields.put("by_code", codes);
    return Json.write(fields);
  }

  /** The policy of a type; the standard one if somebody wrote what cannot be read. */
  static RetryPolicy of(String type, String text) {
    try {
      return read(text);
    } catch (IllegalArgumentException | ArithmeticException | InvalidDefinition e) {
      // One bad row must not keep the attempts of all types from being settled.
      log.error("The stored retry policy of job type {} cannot be read", type, e);
      return RetryPolicy.standard();
    }
  }

  static RetryPolicy read(String text) {
    if (!(Json.parse(text) instanceof Map<?, ?> fields)) {
      throw new IllegalArgumentException("A stored retry policy is no object");
    }
    Map<String, Duration> codes = new TreeMap<>();
    if (fields.get("by_code") instanceof Map<?, ?> byCode) {
      byCode.forEach((code, delay) -> codes.put((String) code, duration(delay)));
    }
    return new RetryPolicy(
        duration(fields.get("base")),
        number(fields.get("factor")).doubleValue(),
        duration(fields.get("cap")),
        codes,
        Boolean.TRUE.equals(fields.get("retry_panics")));
  }

  private static BigDecimal micros(Duration duration) {
    return BigDecimal.valueOf(Math.max(1, duration.toNanos() / 1000));
  }

  private static Duration duration(@Nullable Object micros) {
    return Duration.of(number(micros).longValue(), ChronoUnit.MICROS);
  }

  private static BigDecimal number(@Nullable Object value) {
    if (value instanceof BigDecimal number) {
      return number;
    }
    throw new IllegalArgumentException("A stored retry policy lacks a number");
  }
}
