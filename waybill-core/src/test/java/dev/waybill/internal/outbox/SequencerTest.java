package dev.waybill.internal.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.waybill.DatabaseException;
import dev.waybill.Migrated;
import dev.waybill.internal.store.MessageStore;
import dev.waybill.internal.store.Stores;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.TestDatabase;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

@EveryDatabase
class SequencerTest {
  private final TestTime time = new TestTime();
  private final DirtyPartitions dirty = new DirtyPartitions(time, () -> {}, () -> 0.5);
  private final MortalSource.Pool pool;

  SequencerTest(TestDatabase database) {
    this.pool = new MortalSource.Pool(Migrated.on(database));
  }

  private Sequencer sequencer(MortalSource source) {
    MessageStore store = MessageStore.of(Stores.open(source.source()));
    return new Sequencer(
        1,
        dirty,
        store,
        new Express(
            store,
            "me",
            new ReadyPartitions(time, () -> {}, () -> 0.5),
            Queues.of(List.of(), List.of()),
            Map.of(),
            (place, turn, work) -> {},
            time),
        numbered -> {},
        new Events(List.of()),
        time,
        100,
        8);
  }

  @Test
  void aVisitIsBoundedHoweverManyPartitionsAreBehind() {
    assertThat(Sequencer.share(1_000, 1)).isEqualTo(1_000);
    assertThat(Sequencer.share(16_000, 3)).isEqualTo(16_000);
    assertThat(128 * Sequencer.share(16_000, 128)).isBetween(40_000, Sequencer.MOST_MESSAGES);
  }

  @Test
  void afterAFailureAnIdleRunProvesNothingUnlessTheDatabaseAnswers() throws Exception {
    try (pool) {
      MortalSource source = new MortalSource(pool);
      Sequencer sequencer = sequencer(source);
      dirty.mark(List.of(1L));
      source.die();
      assertThatThrownBy(sequencer::runOnce).isInstanceOf(DatabaseException.class);
      // It cools down, so there is nothing to take.
      assertThat(dirty.take(1).isEmpty()).isTrue();
      assertThatThrownBy(sequencer::runOnce).isInstanceOf(DatabaseException.class);
    }
  }
}
