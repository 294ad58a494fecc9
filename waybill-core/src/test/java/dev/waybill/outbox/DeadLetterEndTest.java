package dev.waybill.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.waybill.Migrated;
import dev.waybill.Waybill;
import dev.waybill.outbox.DeadLetterException.ClaimLost;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How dead letters end for good. */
@EveryDatabase(alsoOldest = true)
class DeadLetterEndTest {
  private static final DeadLetterFilter ALL = DeadLetterFilter.defaults();
  private static final Duration HOUR = Duration.ofHours(1);

  private final DataSource dataSource;
  private final Graveyard graveyard;
  private final List<Waybill> running = new ArrayList<>();
  private final DeadLetters deadLetters;

  DeadLetterEndTest(TestDatabase database) {
    TestDatabase fresh = Migrated.on(database);
    dataSource = fresh.dataSource();
    graveyard = new Graveyard(fresh);
    deadLetters = operator();
  }

  @AfterEach
  void stop() {
    running.forEach(Waybill::close);
  }

  private DeadLetters operator() {
    Waybill waybill =
        Waybill.builder(dataSource)
            .outbox(o -> o.withoutWorkers().queue("orders", Partitions.of(4)).produceOnly())
            .start();
    running.add(waybill);
    return waybill.outbox().deadLetters();
  }

  @Test
  void pendingOnesCanBeDiscardedClaimedOnesCannot() throws SQLException {
    List<Long> ids = graveyard.bury("orders", 0, 4);
    DeadLetterClaim held = deadLetters.claim(ALL.ids(ids.subList(0, 1)), HOUR);
    DeadLetterClaim abandoned = deadLetters.claim(ALL.ids(ids.subList(1, 2)), HOUR);
    graveyard.set("deadline = 7", abandoned.ids());

    assertThat(deadLetters.discard(ALL)).isEqualTo(3);
    assertThat(deadLetters.discard(ALL)).isZero();

    assertThat(deadLetters.list(ALL.status(DeadLetterStatus.DISCARDED)))
        .extracting(DeadLetter::id)
        .containsExactly(ids.get(3), ids.get(2), ids.get(1));
    assertThatThrownBy(() -> deadLetters.resolve(abandoned)).isInstanceOf(ClaimLost.class);
    assertThat(deadLetters.resolve(held)).isEqualTo(1);
    assertThat(deadLetters.claim(ALL, HOUR).isEmpty()).isTrue();
    assertThat(deadLetters.requeue(ALL)).isZero();
  }

  @Test
  void aCleanupRemovesOnlyWhatIsDoneAndOldEnough() throws SQLException {
    List<Long> ids = graveyard.bury("orders", 0, 4);
    deadLetters.resolve(deadLetters.claim(ALL.ids(ids.subList(0, 1)), HOUR));
    deadLetters.discard(ALL.ids(ids.subList(1, 2)));
    deadLetters.claim(ALL.ids(ids.subList(2, 3)), HOUR);

    assertThat(deadLetters.cleanup(ALL, HOUR)).isZero();
    assertThat(deadLetters.cleanup(ALL.status(DeadLetterStatus.DISCARDED), Duration.ZERO))
        .isEqualTo(1);
    assertThat(deadLetters.cleanup(ALL.anyStatus(), Duration.ZERO)).isEqualTo(1);
    assertThat(deadLetters.list(ALL.anyStatus()))
        .extracting(DeadLetter::id)
        .containsExactly(ids.get(3), ids.get(2));
  }

  @Test
  void discardAndCleanupGoPieceByPiece() throws SQLException {
    graveyard.bury("orders", 0, 250);
    List<Integer> pieces = new ArrayList<>();
    for (int discarded = deadLetters.discard(ALL);
        discarded > 0;
        discarded = deadLetters.discard(ALL)) {
      pieces.add(discarded);
    }
    assertThat(pieces).containsExactly(100, 100, 50);
    assertThat(deadLetters.cleanup(ALL, Duration.ZERO)).isEqualTo(100);
    assertThat(deadLetters.cleanup(ALL.limit(5_000), Duration.ZERO)).isEqualTo(150);
    assertThat(deadLetters.count(ALL.anyStatus())).isZero();
  }

  @Test
  void theRetentionRemovesWhatIsDoneInPieces() throws Exception {
    List<Long> done = graveyard.bury("orders", 0, 2_500);
    graveyard.set("status = 'discarded', completed_at = 7", done);
    List<Long> kept = graveyard.bury("orders", 1, 2);
    deadLetters.discard(ALL.ids(kept.subList(0, 1)));

    Waybill worker =
        Waybill.builder(dataSource)
            .outbox(
                o ->
                    o.deadLetterRetention(Duration.ofDays(30))
                        .queue("orders", Partitions.of(4))
                        .produceOnly())
            .start();
    running.add(worker);

    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (deadLetters.count(ALL.anyStatus()) > 2 && System.nanoTime() < end) {
      Thread.onSpinWait();
    }
    assertThat(deadLetters.list(ALL.anyStatus()))
        .extracting(DeadLetter::id)
        .containsExactlyInAnyOrderElementsOf(kept);
  }
}
