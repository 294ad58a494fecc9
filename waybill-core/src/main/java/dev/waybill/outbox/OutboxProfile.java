package dev.waybill.outbox;

import static java.time.Duration.ZERO;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;

import java.time.Duration;

/**
 * Tuning for all workers of an outbox: start from a named profile, change what you must.
 *
 * @param processor messages per delivery, and the pause between full batches of a partition
 * @param retry when failed messages come again
 * @param sequencer messages per partition and visit, and the pause between visits
 * @param vacuum rows per piece, and the pause between pieces
 * @param vacuumPoll how often the vacuum looks though no volume calls it
 * @param reconcileInterval how often the reconciler looks for work that nobody announced: the
 *     safety poll, and the longest delay that a lost wake-up can cause
 */
public record OutboxProfile(
    WorkerTuning processor,
    RetryTuning retry,
    WorkerTuning sequencer,
    WorkerTuning vacuum,
    Duration vacuumPoll,
    Duration reconcileInterval) {

  // Begins gently, yet with a lasting backlog it goes on without a pause, so it never falls behind.
  private static final WorkerTuning VACUUM =
      new WorkerTuning(10_000, ofSeconds(1), ZERO, ofMillis(100));
  private static final Duration VACUUM_POLL = ofMinutes(5);

  private static final OutboxProfile DEFAULTS =
      new OutboxProfile(
          WorkerTuning.unpaced(10),
          new RetryTuning(ofSeconds(1), ofSeconds(60), 2),
          WorkerTuning.unpaced(1_000),
          VACUUM,
          VACUUM_POLL,
          ofSeconds(60));

  private static final OutboxProfile LOW_LATENCY =
      new OutboxProfile(
          WorkerTuning.unpaced(10),
          new RetryTuning(ofMillis(100), ofSeconds(10), 3),
          WorkerTuning.unpaced(500),
          VACUUM,
          VACUUM_POLL,
          ofSeconds(30));

  private static final OutboxProfile HIGH_THROUGHPUT =
      DEFAULTS.withProcessor(WorkerTuning.unpaced(100)).withSequencer(WorkerTuning.unpaced(2_000));

  private static final OutboxProfile RELAXED =
      new OutboxProfile(
          new WorkerTuning(10, ofMillis(500), ofMillis(100), ofMillis(50)),
          new RetryTuning(ofSeconds(5), ofMinutes(5), 1),
          new WorkerTuning(1_000, ofMillis(500), ofMillis(100), ofMillis(100)),
          VACUUM,
          VACUUM_POLL,
          ofSeconds(120));

  /** Refuses intervals of nothing. */
  public OutboxProfile {
    Settings.positive("vacuumPoll", vacuumPoll);
    Settings.positive("reconcileInterval", reconcileInterval);
  }

  /** For most. */
  public static OutboxProfile defaults() {
    return DEFAULTS;
  }

  /** Small batches, quick retries. */
  public static OutboxProfile lowLatency() {
    return LOW_LATENCY;
  }

  /** Large batches. */
  public static OutboxProfile highThroughput() {
    return HIGH_THROUGHPUT;
  }

  /** Easy on the database: it pauses between batches on purpose. */
  public static OutboxProfile relaxed() {
    return RELAXED;
  }

  /** With another tuning of the processor. */
  public OutboxProfile withProcessor(WorkerTuning value) {
    return new OutboxProfile(value, retry, sequencer, vacuum, vacuumPoll, reconcileInterval);
  }

  /** With other retries. */
  public OutboxProfile withRetry(RetryTuning value) {
    return new OutboxProfile(processor, value, sequencer, vacuum, vacuumPoll, reconcileInterval);
  }

  /** With another tuning of the sequencer. */
  public OutboxProfile withSequencer(WorkerTuning value) {
    return new OutboxProfile(processor, retry, value, vacuum, vacuumPoll, reconcileInterval);
  }

  /** With another tuning of the vacuum. */
  public OutboxProfile withVacuum(WorkerTuning value) {
    return new OutboxProfile(processor, retry, sequencer, value, vacuumPoll, reconcileInterval);
  }

  /** With another poll of the vacuum. */
  public OutboxProfile withVacuumPoll(Duration value) {
    return new OutboxProfile(processor, retry, sequencer, vacuum, value, reconcileInterval);
  }

  /** With another interval of the reconciler. */
  public OutboxProfile withReconcileInterval(Duration value) {
    return new OutboxProfile(processor, retry, sequencer, vacuum, vacuumPoll, value);
  }
}
