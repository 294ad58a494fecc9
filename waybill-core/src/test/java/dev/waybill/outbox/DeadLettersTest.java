package dev.waybill.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.waybill.Migrated;
import dev.waybill.Waybill;
import dev.waybill.outbox.DeadLetterException.InvalidFilter;
import dev.waybill.outbox.OutboxException.InvalidQueueName;
import dev.waybill.schema.Schema;
import dev.waybill.schema.SchemaOptions;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.FaultyDataSource;
import dev.waybill.testkit.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Looking at dead letters. */
@EveryDatabase(alsoOldest = true)
class DeadLettersTest {
  private static final DeadLetterFilter ALL = DeadLetterFilter.defaults();
  private static final Instant FIRST = Graveyard.FIRST;

  private final TestDatabase database;
  private final FaultyDataSource watched;
  private final Graveyard graveyard;
  private final Waybill waybill;
  private final DeadLetters deadLetters;

  DeadLettersTest(TestDatabase database) {
    this.database = Migrated.on(database);
    watched = new FaultyDataSource(this.database.dataSource());
    graveyard = new Graveyard(this.database);
    waybill =
        Waybill.builder(watched)
            .outbox(
                o ->
                    o.withoutWorkers()
                        .queue("orders", Partitions.of(4))
                        .produceOnly()
                        .queue("ledger", Partitions.of(1))
                        .produceOnly())
            .start();
    deadLetters = waybill.outbox().deadLetters();
  }

  @AfterEach
  void stop() {
    waybill.close();
  }

  private List<Long> ids(DeadLetterFilter filter) {
    List<Long> ids = deadLetters.list(filter).stream().map(DeadLetter::id).toList();
    assertThat(deadLetters.count(filter)).isEqualTo(ids.size());
    return ids;
  }

  private static List<Long> newestFirst(List<Long> ids) {
    List<Long> reversed = new ArrayList<>(ids);
    Collections.reverse(reversed);
    return reversed;
  }

  @Test
  void showsWhatAnOperatorNeeds() throws SQLException {
    long id = graveyard.bury("orders", 2, 3).get(2);

    DeadLetter letter = deadLetters.list(ALL).get(0);

    assertThat(letter.id()).isEqualTo(id);
    assertThat(letter.status()).isEqualTo(DeadLetterStatus.PENDING);
    assertThat(letter.failedAt()).isEqualTo(FIRST.plusSeconds(2));
    assertThat(letter.lastError()).isEqualTo("no");
    assertThat(letter.deadline()).isNull();
    assertThat(letter.completedAt()).isNull();
    OutboxMessage message = letter.message();
    assertThat(message.queue()).isEqualTo("orders");
    assertThat(message.partition()).isEqualTo(2);
    assertThat(message.seq()).isEqualTo(3);
    assertThat(message.id()).isEqualTo(1_003);
    assertThat(message.type()).isEqualTo("test");
    assertThat(message.text()).isEqualTo("payload 3");
    assertThat(message.key()).isNull();
    assertThat(message.headers()).isEmpty();
    assertThat(message.createdAt()).isEqualTo(FIRST.plusSeconds(1));
    assertThat(message.attempts()).isEqualTo(3);
    assertThat(letter.toString()).contains("orders/2/3").doesNotContain("payload 3");
  }

  @Test
  void pagesOverTwoHundredAndFiftyWithoutGapOrRepetition() throws SQLException {
    List<Long> all = new ArrayList<>(graveyard.bury("orders", 0, 100));
    // Equal times: the id decides.
    all.addAll(graveyard.bury("orders", 1, 150));
    List<Long> seen = new ArrayList<>();
    List<Integer> sizes = new ArrayList<>();
    DeadLetterFilter filter = ALL;
    List<DeadLetter> page = deadLetters.list(filter);
    while (!page.isEmpty()) {
      sizes.add(page.size());
      page.forEach(letter -> seen.add(letter.id()));
      filter = filter.before(page.get(page.size() - 1));
      page = deadLetters.list(filter);
    }

    assertThat(sizes).containsExactly(100, 100, 50);
    assertThat(seen).containsExactlyInAnyOrderElementsOf(all);
    assertThat(deadLetters.count(ALL)).isEqualTo(250);
    assertThat(deadLetters.list(ALL.limit(250)).stream().map(DeadLetter::failedAt))
        .isSortedAccordingTo(java.util.Comparator.<Instant>reverseOrder());
    assertThat(deadLetters.list(ALL.limit(3))).hasSize(3);
  }

  @Test
  void filtersByQueuePartitionAndType() throws SQLException {
    List<Long> first = graveyard.bury("orders", 0, 2);
    List<Long> third = graveyard.bury("orders", 3, 2, "order.placed", FIRST.plusSeconds(100));
    List<Long> ledger = graveyard.bury("ledger", 0, 1);

    assertThat(ids(ALL.queue("ledger"))).isEqualTo(ledger);
    assertThat(ids(ALL.partition("orders", 0))).isEqualTo(newestFirst(first));
    assertThat(ids(ALL.partition("orders", 1))).isEmpty();
    assertThat(ids(ALL.queue("orders")))
        .containsExactly(third.get(1), third.get(0), first.get(1), first.get(0));
    assertThat(ids(ALL.type("order.placed"))).isEqualTo(newestFirst(third));
    assertThat(ids(ALL.queue("ledger").type("order.placed"))).isEmpty();
    assertThat(ids(ALL.queue("Orders"))).isEmpty();
  }

  @Test
  void filtersByTimeAndId() throws SQLException {
    List<Long> ids = graveyard.bury("orders", 0, 5);

    assertThat(ids(ALL.failedAfter(FIRST.plusSeconds(2)))).containsExactly(ids.get(4), ids.get(3));
    assertThat(ids(ALL.failedBefore(FIRST.plusSeconds(1)))).containsExactly(ids.get(0));
    assertThat(ids(ALL.failedBefore(FIRST.plusSeconds(1).plusNanos(1))))
        .containsExactly(ids.get(1), ids.get(0));
    assertThat(ids(ALL.failedAfter(FIRST.minusNanos(1)).failedBefore(FIRST.plusNanos(1))))
        .containsExactly(ids.get(0));
    assertThat(ids(ALL.ids(List.of(ids.get(1), ids.get(3), -5L))))
        .containsExactly(ids.get(3), ids.get(1));
    assertThat(ids(ALL.ids(List.of(ids.get(1))).queue("ledger"))).isEmpty();
    assertThat(ids(ALL.ids(LongStream.range(0, 10_000).boxed().toList()))).hasSize(5);
  }

  @Test
  void filtersByStatus() throws SQLException {
    List<Long> ids = graveyard.bury("orders", 0, 4);
    graveyard.set("status = 'resolved', completed_at = 7", List.of(ids.get(0)));
    graveyard.set("status = 'discarded', completed_at = 7", List.of(ids.get(1)));
    graveyard.set("status = 'reprocessing', claim = 'x', deadline = 7", List.of(ids.get(2)));

    assertThat(ids(ALL)).containsExactly(ids.get(3));
    assertThat(ids(ALL.status(DeadLetterStatus.RESOLVED))).containsExactly(ids.get(0));
    assertThat(ids(ALL.status(DeadLetterStatus.DISCARDED))).containsExactly(ids.get(1));
    assertThat(ids(ALL.status(DeadLetterStatus.REPROCESSING))).containsExactly(ids.get(2));
    assertThat(ids(ALL.anyStatus())).isEqualTo(newestFirst(ids));
    assertThat(deadLetters.list(ALL.anyStatus().limit(2)).stream().map(DeadLetter::id))
        .containsExactly(ids.get(3), ids.get(2));
    assertThat(deadLetters.count(ALL.anyStatus().limit(2))).isEqualTo(4);
  }

  @Test
  void wrongFiltersAreRefusedBeforeAnySql() {
    watched.reset();
    DeadLetterFilter resolved = ALL.status(DeadLetterStatus.RESOLVED);
    assertThatThrownBy(() -> deadLetters.claim(resolved, Duration.ofMinutes(1)))
        .isInstanceOf(InvalidFilter.class)
        .hasMessageContaining("must be one of [PENDING, REPROCESSING] here");
    assertThatThrownBy(() -> deadLetters.discard(resolved)).isInstanceOf(InvalidFilter.class);
    assertThatThrownBy(() -> deadLetters.requeue(resolved)).isInstanceOf(InvalidFilter.class);
    assertThatThrownBy(
            () -> deadLetters.cleanup(ALL.status(DeadLetterStatus.PENDING), Duration.ofMinutes(1)))
        .isInstanceOf(InvalidFilter.class);
    assertThatThrownBy(() -> deadLetters.list(ALL.queue("no queue")))
        .isInstanceOf(InvalidQueueName.class);
    assertThatThrownBy(() -> deadLetters.claim(ALL, Duration.ZERO))
        .isInstanceOf(OutboxException.InvalidSetting.class);
    assertThatThrownBy(() -> deadLetters.claim(ALL, Duration.ofDays(40_000)))
        .isInstanceOf(OutboxException.InvalidSetting.class);
    assertThatThrownBy(() -> deadLetters.cleanup(ALL, Duration.ofSeconds(-1)))
        .isInstanceOf(OutboxException.InvalidSetting.class);
    assertThat(watched.trace()).isEmpty();
  }

  @Test
  void noIdsMeanNothingAndNoSql() throws SQLException {
    graveyard.bury("orders", 0, 1);
    watched.reset();
    DeadLetterFilter none = ALL.ids(List.of());
    assertThat(ids(none)).isEmpty();
    assertThat(deadLetters.claim(none, Duration.ofMinutes(1)).isEmpty()).isTrue();
    assertThat(deadLetters.discard(none)).isZero();
    assertThat(deadLetters.requeue(none)).isZero();
    assertThat(deadLetters.cleanup(none, Duration.ZERO)).isZero();
    assertThat(deadLetters.resolve("token", List.of())).isZero();
    assertThat(deadLetters.reject("token", List.of(), "no")).isZero();
    assertThat(watched.trace()).isEmpty();
  }

  @Test
  void anotherPrefixHasItsOwnDeadLetters() throws SQLException {
    SchemaOptions options = SchemaOptions.defaults().withPrefix("acme_");
    Schema.migrate(database.dataSource(), options);
    graveyard.bury("orders", 0, 1);
    try (Waybill other = Waybill.builder(database.dataSource()).schema(options).start()) {
      assertThat(other.outbox().deadLetters().list(ALL)).isEmpty();
      assertThat(other.outbox().deadLetters().requeue(ALL)).isZero();
    }
    assertThat(ids(ALL)).hasSize(1);
  }
}
