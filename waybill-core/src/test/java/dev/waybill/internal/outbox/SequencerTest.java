package dev.waybill.internal.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.waybill.DatabaseException;
import dev.waybill.Migrated;
import dev.waybill.internal.sql.Database;
import dev.waybill.internal.store.MessageStore;
import dev.waybill.internal.store.NewMessage;
import dev.waybill.internal.store.QueueStore;
import dev.waybill.internal.store.Stores;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.TestDatabase;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

@EveryDatabase
class SequencerTest {
  private final TestTime time = new TestTime();
  private final DirtyPartitions dirty =
      new DirtyPartitions(time, () -> {}, () -> 0.5, Gathering.of(10));
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
            dirty,
            new ReadyPartitions(time, () -> {}, () -> 0.5),
            Queues.of(List.of(), List.of()),
            Map.of(),
            (place, turn, work) -> true,
            time),
        new HeadStart(time),
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

  @Test
  void aPartitionWithPlentyToDeliverRestsWhileItsBacklogIsNumbered() throws Exception {
    try (pool) {
      MortalSource source = new MortalSource(pool);
      Sequencer sequencer = sequencer(source);
      Backlog backlog = new Backlog(Stores.open(source.source()));
      backlog.enqueue(500);
      dirty.mark(List.of(backlog.partition));
      sequencer.runOnce();
      assertThat(backlog.numbered()).isEqualTo(100);
      assertThat(dirty.untilNext()).contains(Duration.ZERO);

      backlog.enqueue(6_000);
      backlog.number(5_900);
      sequencer.runOnce();
      assertThat(backlog.numbered()).isEqualTo(6_200);
      Duration rest = dirty.untilNext().orElseThrow();
      assertThat(rest).isPositive();
      // Not even for news of it.
      dirty.mark(List.of(backlog.partition));
      assertThat(dirty.take(1).isEmpty()).isTrue();

      time.advance(rest);
      sequencer.runOnce();
      assertThat(backlog.numbered()).isEqualTo(6_500);
      assertThat(dirty.untilNext()).isEmpty();
    }
  }

  private static final class Backlog {
    private final Database database;
    private final MessageStore store;
    private final long partition;

    Backlog(Database database) {
      this.database = database;
      store = MessageStore.of(database);
      partition =
          new QueueStore(database)
              .register(List.of(new QueueStore.Wanted("orders", 1, null)))
              .get(0)
              .partitionIds()
              .get(0);
    }

    /** A hundred at once. */
    void enqueue(int messages) {
      var message = new NewMessage(partition, "t", null, Map.of(), new byte[1], null, null);
      for (int i = 0; i < messages; i += 100) {
        database.transact(tx -> store.enqueue(tx, Collections.nCopies(100, message)));
      }
    }

    void number(int messages) {
      assertThat(store.sequence(new long[] {partition}, messages))
          .containsEntry(partition, messages);
    }

    long numbered() {
      return store.waiting(List.of(partition)).getOrDefault(partition, 0L);
    }
  }
}
