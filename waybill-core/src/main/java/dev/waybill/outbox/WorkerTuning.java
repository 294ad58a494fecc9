package dev.waybill.outbox;

import java.time.Duration;

/**
 * How much a worker does at once, and how fast it goes on while there is more: first after the
 * active interval, then each time sooner by the ramp step, down to the minimal interval. After a
 * rest it starts over, and begins at once.
 *
 * @param batchSize messages at once, at least 1
 * @param activeInterval the first pause between two runs with more to do; zero for none
 * @param minInterval the shortest pause, at most the active interval
 * @param rampStep by how much the pause shrinks
 */
public record WorkerTuning(
    int batchSize, Duration activeInterval, Duration minInterval, Duration rampStep) {

  /** Refuses a batch of nothing, negative times, and a minimum above the active interval. */
  public WorkerTuning {
    Settings.atLeastOne("batchSize", batchSize);
    Settings.notNegative("activeInterval", activeInterval);
    Settings.notNegative("minInterval", minInterval);
    Settings.notNegative("rampStep", rampStep);
    Settings.require(
        minInterval.compareTo(activeInterval) <= 0,
        "minInterval",
        "must not be longer than the activeInterval " + activeInterval + ", but is " + minInterval);
  }

  /** That many at once, without a pause while there is more to do. */
  public static WorkerTuning unpaced(int batchSize) {
    return new WorkerTuning(batchSize, Duration.ZERO, Duration.ZERO, Duration.ZERO);
  }

  /** With another batch size. */
  public WorkerTuning withBatchSize(int value) {
    return new WorkerTuning(value, activeInterval, minInterval, rampStep);
  }

  /** With other pauses while there is more to do. */
  public WorkerTuning withPace(Duration active, Duration min, Duration step) {
    return new WorkerTuning(batchSize, active, min, step);
  }
}
