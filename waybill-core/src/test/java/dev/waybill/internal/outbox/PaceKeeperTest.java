package dev.waybill.internal.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.waybill.DatabaseException;
import dev.waybill.internal.loop.Bell;
import dev.waybill.internal.loop.Next;
import dev.waybill.internal.sql.Database;
import dev.waybill.internal.store.PaceStore;
import dev.waybill.internal.store.QueueStore;
import dev.waybill.internal.store.QueueStore.Wanted;
import dev.waybill.internal.store.Stores;
import dev.waybill.outbox.DeliveryTimes;
import dev.waybill.outbox.RecentDeliveries;
import dev.waybill.schema.Schema;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.Fault;
import dev.waybill.testkit.FaultyDataSource;
import dev.waybill.testkit.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** What processes write down for each other about how long deliveries take. */
@EveryDatabase
class PaceKeeperTest {
  private static final Duration QUICK = Duration.ofMillis(2);
  private static final Duration SLOW = Duration.ofSeconds(3);

  private final TestDatabase database;
  private final FaultyDataSource watched;
  private final PaceStore store;
  private final Map<String, Long> queueIds;
  private final TestTime time = new TestTime();

  PaceKeeperTest(TestDatabase database) {
    this.database = database.fresh();
    Schema.migrate(this.database.dataSource());
    watched = new FaultyDataSource(this.database.dataSource());
    Database opened = Stores.open(watched);
    store = new PaceStore(opened);
    queueIds =
        new QueueStore(opened)
            .register(List.of(new Wanted("orders", 2, null), new Wanted("mail", 1, null))).stream()
                .collect(Collectors.toMap(QueueStore.QueueRow::name, QueueStore.QueueRow::id));
  }

  private PaceKeeper process(String owner) {
    PaceKeeper keeper = new PaceKeeper(store, owner, queueIds::get, time, new Bell());
    assertThat(keeper.runOnce()).isEqualTo(Next.whenRung());
    return keeper;
  }

  private static void deliver(PaceKeeper process, String queue, int messages, Duration took) {
    process.delivered(queue, 0, messages, took);
  }

  /** After a rest. */
  private void gatherAndWrite(PaceKeeper process) {
    assertThat(process.runOnce()).isEqualTo(Next.after(PaceKeeper.GATHER));
    time.advance(PaceKeeper.GATHER);
    write(process);
  }

  private static void write(PaceKeeper process) {
    assertThat(process.runOnce()).isEqualTo(Next.after(PaceKeeper.INTERVAL));
  }

  private long statements() {
    return watched.trace().stream().filter(each -> each.sql().contains("waybill_")).count();
  }

  @Test
  void whatTwoProcessesWroteAddsUpToTruePercentiles() {
    Random random = new Random(4711);
    List<PaceKeeper> processes = List.of(process("1-one"), process("2-two"));
    List<Duration> all = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      Duration took = Duration.ofNanos((long) (1_000_000 * Math.exp(random.nextGaussian() * 2)));
      all.add(took);
      // One of them is slower.
      deliver(processes.get(took.compareTo(QUICK) > 0 ? 1 : 0), "orders", 1, took);
    }
    deliver(processes.get(0), "mail", 7, SLOW);
    processes.forEach(this::gatherAndWrite);

    List<RecentDeliveries> read = store.recent();
    assertThat(read)
        .extracting(each -> each.queue() + " " + each.process())
        .containsExactly("mail 1-one", "orders 1-one", "orders 2-two");
    DeliveryTimes orders =
        read.stream()
            .filter(each -> each.queue().equals("orders"))
            .map(RecentDeliveries::times)
            .reduce(DeliveryTimes.none(), DeliveryTimes::plus);
    assertThat(orders.total()).isEqualTo(1_000);
    all.sort(null);
    for (double share : List.of(0.5, 0.95, 0.99)) {
      Duration exact = all.get((int) Math.ceil(share * all.size()) - 1);
      assertThat(orders.percentile(share).orElseThrow())
          .isBetween(exact.minusNanos(1), Duration.ofNanos(exact.toNanos() * 6 / 5).plusNanos(1));
    }
    assertThat(read.get(0).times().percentile(0.5).orElseThrow()).isBetween(SLOW, SLOW.plus(SLOW));
    assertThat(read)
        .allSatisfy(each -> assertThat(each.ago()).isLessThan(Duration.ofSeconds(60)))
        .allSatisfy(
            each ->
                assertThat(each.span())
                    .isBetween(PaceKeeper.GATHER, PaceKeeper.GATHER.multipliedBy(2)));
  }

  @Test
  void nothingIsWrittenWhileNothingIsDelivered() {
    PaceKeeper process = process("1-one");
    assertThat(process.runOnce()).isEqualTo(Next.whenRung());
    deliver(process, "orders", 1, QUICK);
    gatherAndWrite(process);
    watched.reset();
    for (int i = 0; i < 20; i++) {
      time.advance(PaceKeeper.INTERVAL);
      assertThat(process.runOnce()).isEqualTo(Next.whenRung());
    }
    assertThat(statements()).isZero();
  }

  @Test
  void aBusyProcessWritesOneRowPerQueueEveryFewSeconds() throws SQLException {
    PaceKeeper process = process("1-one");
    deliver(process, "orders", 1, QUICK);
    gatherAndWrite(process);
    watched.reset();
    for (int i = 0; i < 10; i++) {
      for (int message = 0; message < 500; message++) {
        deliver(process, "orders", 1, QUICK);
        deliver(process, "mail", 1, SLOW);
      }
      time.advance(PaceKeeper.INTERVAL);
      write(process);
    }
    assertThat(statements()).isEqualTo(10);
    assertThat(store.recent()).hasSize(2);
  }

  @Test
  void onlyTheLastHalfMinuteCounts() {
    PaceKeeper process = process("1-one");
    deliver(process, "orders", 1_000, SLOW);
    gatherAndWrite(process);
    for (int i = 0; i < 6; i++) {
      assertThat(store.recent().get(0).times().percentile(0.99).orElseThrow())
          .isGreaterThanOrEqualTo(SLOW);
      time.advance(PaceKeeper.INTERVAL);
      deliver(process, "orders", 10, QUICK);
      write(process);
    }
    RecentDeliveries recent = store.recent().get(0);
    assertThat(recent.times().total()).isEqualTo(60);
    assertThat(recent.times().percentile(1).orElseThrow()).isLessThan(QUICK.multipliedBy(2));
    assertThat(recent.span()).isEqualTo(QueuePace.WINDOW);

    time.advance(Duration.ofHours(1));
    assertThat(process.runOnce()).isEqualTo(Next.whenRung());
    deliver(process, "orders", 1, SLOW);
    gatherAndWrite(process);
    assertThat(store.recent().get(0).times().total()).as("after a rest").isEqualTo(1);
  }

  @Test
  void failuresAreWrittenThoughNothingIsDelivered() {
    PaceKeeper process = process("1-one");
    process.retried("orders", 0, 1, 1, "no", Duration.ZERO);
    process.retried("orders", 1, 1, 1, "no", Duration.ZERO);
    process.rejected("orders", 1, 1, "never");
    gatherAndWrite(process);
    RecentDeliveries recent = store.recent().get(0);
    assertThat(recent.retried()).isEqualTo(2);
    assertThat(recent.rejected()).isEqualTo(1);
    assertThat(recent.times()).isEqualTo(DeliveryTimes.none());
  }

  @Test
  void whatIsOldIsNeitherReadNorKept() throws SQLException {
    for (String owner : List.of("1-gone", "2-ahead", "3-here")) {
      PaceKeeper process = process(owner);
      deliver(process, "orders", 1, QUICK);
      deliver(process, "mail", 1, QUICK);
      gatherAndWrite(process);
    }
    long tooLong = PaceStore.GONE.plusSeconds(30).toNanos() / 1_000;
    database.execute(
        "update waybill_outbox_pace set written_at = written_at - "
            + tooLong
            + " where owner = '1-gone'",
        // The clock was set back since it wrote.
        "update waybill_outbox_pace set written_at = written_at + "
            + tooLong
            + " where owner = '2-ahead'");
    assertThat(store.recent()).extracting(RecentDeliveries::process).containsOnly("3-here");

    PaceKeeper next = process("4-next");
    deliver(next, "orders", 1, QUICK);
    watched.reset();
    gatherAndWrite(next);
    assertThat(watched.trace().stream().filter(each -> each.sql().startsWith("delete")).count())
        .isEqualTo(1);
    assertThat(store.clear()).as("all was cleared").isZero();
    assertThat(store.recent()).hasSize(3);
  }

  @Test
  void whatCouldNotBeWrittenIsWrittenLater() {
    PaceKeeper process = process("1-one");
    deliver(process, "orders", 3, QUICK);
    assertThat(process.runOnce()).isEqualTo(Next.after(PaceKeeper.GATHER));
    watched.on(Fault.sql(sql -> sql.contains("outbox_pace"))).fail(Fault.Moment.BEFORE);
    assertThatThrownBy(process::runOnce).isInstanceOf(DatabaseException.class);
    deliver(process, "orders", 4, QUICK);
    write(process);
    assertThat(store.recent().get(0).times().total()).isEqualTo(7);
  }
}
