package dev.waybill;

import java.util.Map;

/**
 * Whether the workers of this process get on.
 *
 * @param failing those whose last run failed, by name, and why
 */
public record Health(Map<String, String> failing) {
  /** Copies the map. */
  public Health {
    failing = Map.copyOf(failing);
  }

  /** Whether none fails. */
  public boolean isHealthy() {
    return failing.isEmpty();
  }
}
