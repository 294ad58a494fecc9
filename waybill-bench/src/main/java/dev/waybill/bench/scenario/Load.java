package dev.waybill.bench.scenario;

import dev.waybill.bench.contender.Stage;

/**
 * What messages a run has.
 *
 * @param keys how many
 * @param bytes of each message
 * @param producers threads that send
 * @param batch messages in one transaction
 * @param pace what matters
 */
public record Load(int keys, int bytes, int producers, int batch, Stage.Pace pace) {
  private static final int WAITING_TRANSACTIONS = 20;
  private static final int LEAST_WAITING = 2_000;

  /** Sixteen keys, 256 bytes. */
  public static Load of(int producers, int batch) {
    return new Load(16, 256, producers, batch, Stage.Pace.THROUGHPUT);
  }

  /** With other keys. */
  public Load withKeys(int value) {
    return new Load(value, bytes, producers, batch, pace);
  }

  /** With messages of another size. */
  public Load withBytes(int value) {
    return new Load(keys, value, producers, batch, pace);
  }

  /** With the stress on latency. */
  public Load forLatency() {
    return new Load(keys, bytes, producers, batch, Stage.Pace.LATENCY);
  }

  /** Producers pause while more messages than this have been sent and have not arrived. */
  int mostWaiting() {
    return Math.max(LEAST_WAITING, batch * WAITING_TRANSACTIONS);
  }
}
