package dev.waybill.internal.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SequencerTest {
  @Test
  void aVisitIsBoundedHoweverManyPartitionsAreBehind() {
    assertThat(Sequencer.share(1_000, 1)).isEqualTo(1_000);
    assertThat(Sequencer.share(16_000, 3)).isEqualTo(16_000);
    assertThat(128 * Sequencer.share(16_000, 128)).isBetween(40_000, Sequencer.MOST_MESSAGES);
  }
}
