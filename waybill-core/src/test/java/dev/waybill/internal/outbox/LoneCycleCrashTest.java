package dev.waybill.internal.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.Migrated;
import dev.waybill.internal.sql.Database;
import dev.waybill.internal.sql.Shelf;
import dev.waybill.internal.store.MessageStore;
import dev.waybill.internal.store.QueueStore;
import dev.waybill.internal.store.Stores;
import dev.waybill.outbox.DeadLetterFilter;
import dev.waybill.outbox.EnqueueMessage;
import dev.waybill.outbox.HeadFailure;
import dev.waybill.outbox.MessageResult;
import dev.waybill.outbox.OutboxProfile;
import dev.waybill.outbox.Partitions;
import dev.waybill.outbox.QueueConfig;
import dev.waybill.outbox.QueueHandler;
import dev.waybill.outbox.RetryTuning;
import dev.waybill.outbox.WorkerTuning;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.Fault;
import dev.waybill.testkit.Fault.Moment;
import dev.waybill.testkit.FaultyDataSource;
import dev.waybill.testkit.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * One partition with a backlog, delivered one by one under one lease, on a session that is kept.
 * Every statement of that fails or loses its connection, before and after it took effect; the same
 * process goes on, or another one. All is delivered, in order, and nothing becomes a dead letter.
 */
@Tag("long")
@Tag("once")
@EveryDatabase
class LoneCycleCrashTest {
  private static final Duration MOMENT = Duration.ofMillis(1);
  private static final List<String> ALL =
      IntStream.rangeClosed(1, 6).mapToObj(i -> "m" + i).toList();

  private final FaultyDataSource faulty;
  private final Shelf shelf = new Shelf(1, System::nanoTime, () -> {});
  private final List<String> received = new ArrayList<>();
  private int runs;
  private long delivering;

  LoneCycleCrashTest(TestDatabase database) {
    faulty = new FaultyDataSource(Migrated.on(database).dataSource());
  }

  private Line line(String owner, Database database) {
    return new Line(
        database,
        owner,
        List.of(
            new QueueConfig(
                "parcels" + runs,
                Partitions.of(1),
                new QueueHandler.Leased(
                    message -> {
                      received.add(message.text());
                      return MessageResult.ok();
                    }),
                Line.LEASE,
                HeadFailure.deadLetterAfter(20),
                0,
                Duration.ZERO,
                MOMENT,
                null)),
        OutboxProfile.lowLatency()
            .withProcessor(WorkerTuning.unpaced(1))
            .withRetry(new RetryTuning(MOMENT, MOMENT, 3)),
        new TestTime());
  }

  private void run(Runnable armed, boolean dies, String as) throws Exception {
    runs++;
    received.clear();
    faulty.reset();
    Database database = Stores.open(faulty);
    Line line = line("me", database.keeping(shelf));
    line.door()
        .inTransaction(
            connection -> {
              for (String text : ALL) {
                line.door()
                    .enqueue(connection, "parcels" + runs, EnqueueMessage.of("parcel", text));
              }
            });
    QueueStore queues = new QueueStore(database);
    MessageStore.of(database)
        .sequence(queues.dirty().stream().mapToLong(Long::longValue).toArray(), 100);
    faulty.reset();
    armed.run();
    line.look();
    while (line.deliver()) {
      // the next turn
    }
    delivering = faulty.counts().statements();
    if (dies) {
      faulty.reset();
      line("other", database).finish();
    } else {
      line.finish();
    }
    assertThat(received.stream().distinct())
        .as("%s: %s", as, received)
        .containsExactlyElementsOf(ALL);
    assertThat(line.door().deadLetters().count(DeadLetterFilter.defaults())).as(as).isZero();
  }

  @Test
  void whateverFailsAllIsDeliveredInOrder() throws Exception {
    run(() -> {}, false, "undisturbed");
    assertThat(received).isEqualTo(ALL);
    long statements = delivering;
    assertThat(statements).isGreaterThan(ALL.size());
    for (int n = 1; n <= statements; n++) {
      for (Moment moment : Moment.values()) {
        Fault nth = Fault.statement(n);
        boolean dies = n % 2 == 0;
        String as = moment + " statement " + n;
        run(() -> faulty.on(nth).fail(moment), dies, as);
        run(() -> faulty.on(nth).cut(moment), !dies, as + ", cut");
      }
    }
  }
}
