package dev.waybill.bench.measure;

/** What is measured. */
public enum Metric {
  THROUGHPUT("messages/s", "", true),
  TRANSACTIONS("transactions/s", "", true),
  P50("latency p50", "ms", false),
  P95("latency p95", "ms", false),
  P99("latency p99", "ms", false),
  MAX("latency max", "ms", false),
  AFTER_COMMIT_P50("after commit p50", "ms", false),
  AFTER_COMMIT_P99("after commit p99", "ms", false),
  STATEMENTS("statements/message", "", false),
  ROUND_TRIPS("round trips/message", "", false),
  COMMITS("commits/message", "", false),
  LOG_BYTES("log bytes/message", "B", false),
  TABLE_BYTES("table growth/message", "B", false),
  JVM_CPU("JVM CPU/message", "µs", false),
  SERVER_CPU("server CPU/message", "µs", false),
  RUNS("runs/s", "", true),
  STEPS("steps/s", "", true),
  STEP_STATEMENTS("statements/step", "", false),
  STEP_ROUND_TRIPS("round trips/step", "", false),
  STEP_COMMITS("commits/step", "", false),
  STEP_LOG_BYTES("log bytes/step", "B", false),
  STEP_JVM_CPU("JVM CPU/step", "µs", false),
  STEP_SERVER_CPU("server CPU/step", "µs", false),
  MESSAGES("messages", "", true),
  SECONDS("seconds", "s", false),
  INVERSIONS("inversions", "", false),
  DUPLICATES("duplicates", "", false),
  IDLE_STATEMENTS("statements/minute", "", false),
  IDLE_COMMITS("commits/minute", "", false),
  IDLE_ROWS("rows written/minute", "", false),
  IDLE_LOG_BYTES("log bytes/minute", "B", false),
  IDLE_JVM_CPU("JVM CPU/minute", "ms", false),
  IDLE_SERVER_CPU("server CPU/minute", "ms", false),
  LAST_TO_FIRST("last to first rate", "", true),
  TABLE_BYTES_END("table bytes at the end", "B", false),
  DEAD_ROWS_END("dead rows at the end", "", false),
  FOREIGN_LOAD("foreign load", "", false);

  private final String label;
  private final String unit;
  private final boolean more;

  Metric(String label, String unit, boolean more) {
    this.label = label;
    this.unit = unit;
    this.more = more;
  }

  /** For people. */
  public String label() {
    return label;
  }

  /** Empty if there is none. */
  public String unit() {
    return unit;
  }

  /** Whether more is better. */
  public boolean moreIsBetter() {
    return more;
  }
}
