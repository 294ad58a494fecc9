package dev.waybill.internal.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.Migrated;
import dev.waybill.outbox.EnqueueMessage;
import dev.waybill.outbox.HandlerResult;
import dev.waybill.outbox.HandlerTransaction;
import dev.waybill.outbox.HeadFailure;
import dev.waybill.outbox.LeaseConfig;
import dev.waybill.outbox.MessageResult;
import dev.waybill.outbox.OutboxMessage;
import dev.waybill.outbox.OutboxProfile;
import dev.waybill.outbox.Partitions;
import dev.waybill.outbox.QueueConfig;
import dev.waybill.outbox.QueueHandler;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.Fault;
import dev.waybill.testkit.Fault.Moment;
import dev.waybill.testkit.FaultyDataSource;
import dev.waybill.testkit.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a transactional handler enqueues is announced by nobody but the end of its transaction. */
@EveryDatabase
@Timeout(60)
class HandlerEnqueuesTest {
  private final FaultyDataSource source;
  private final TestTime time = new TestTime();
  private final List<String> received = new ArrayList<>();
  private final List<String> handled = new ArrayList<>();
  private final Set<String> failing = new TreeSet<>();
  private final Fault commit;

  HandlerEnqueuesTest(TestDatabase database) {
    this.source = new FaultyDataSource(Migrated.on(database).dataSource());
    this.commit =
        database.product() == DatabaseProduct.SQLITE
            ? Fault.sql("commit"::equals)
            : Fault.commit(1);
  }

  private Line line(HeadFailure onFailure) {
    var door = new ArrayList<Line>();
    Line line =
        new Line(
            source,
            "me",
            List.of(
                queue(
                    "orders",
                    new QueueHandler.Transactional((tx, order) -> handle(door.get(0), tx, order)),
                    onFailure),
                queue(
                    "parcels",
                    new QueueHandler.Leased(
                        parcel -> {
                          received.add(parcel.text());
                          return MessageResult.ok();
                        }),
                    HeadFailure.block())),
            OutboxProfile.lowLatency(),
            time);
    door.add(line);
    return line;
  }

  private static QueueConfig queue(String name, QueueHandler handler, HeadFailure onFailure) {
    return new QueueConfig(
        name,
        Partitions.of(1),
        handler,
        LeaseConfig.defaults(),
        onFailure,
        0,
        Duration.ZERO,
        Duration.ofMillis(1),
        null);
  }

  private HandlerResult handle(Line line, HandlerTransaction tx, OutboxMessage order) {
    handled.add(order.text());
    line.door().enqueue(tx.connection(), "parcels", EnqueueMessage.of("parcel", order.text()));
    return failing.remove(order.text()) ? HandlerResult.retry("busy") : HandlerResult.success();
  }

  private static void send(Line line, String... orders) throws Exception {
    line.door()
        .inTransaction(
            connection -> {
              for (String order : orders) {
                line.door()
                    .enqueue(connection, "orders", EnqueueMessage.of("order", order).key(order));
              }
            });
    line.sequence();
  }

  /** What is announced is numbered and delivered; nobody looks for the rest. */
  private static void goOn(Line line) {
    line.sequence();
    while (line.deliver()) {
      // the next one
    }
  }

  private void awaitSecondTry(Line line, Runnable before) {
    long deadline = System.nanoTime() + Duration.ofSeconds(20).toNanos();
    while (handled.size() < 2) {
      assertThat(System.nanoTime()).as("tried: %s", handled).isLessThan(deadline);
      // The database ends the pause by its clock, this process by its own.
      time.advance(Duration.ofMinutes(1));
      before.run();
      line.deliver();
      Thread.onSpinWait();
    }
  }

  @Test
  void itIsOnItsWayAfterTheCommit() throws Exception {
    Line line = line(HeadFailure.block());
    for (String order : List.of("a", "b")) {
      send(line, order);
      assertThat(line.deliver()).isTrue();
      goOn(line);
    }
    assertThat(received).containsExactly("a", "b");
  }

  /** The short way is for those who end their transactions with it. */
  @Test
  void itDoesNotDepartBeforeTheCommit() throws Exception {
    Line line = line(HeadFailure.block()).departing();
    send(line, "a");
    assertThat(line.deliver()).isTrue();
    assertThat(received).isEmpty();
    goOn(line);
    assertThat(received).containsExactly("a");
  }

  @Test
  void whatIsUndoneWithItsMessageKeepsTheOthersFromNothing() throws Exception {
    Line line = line(HeadFailure.block());
    failing.add("b");
    send(line, "a", "b");
    assertThat(line.deliver()).isTrue();
    goOn(line);
    assertThat(handled).containsExactly("a", "b");
    assertThat(received).containsExactly("a");
  }

  @Test
  void aKeyThatWasParkedAnnouncesToo() throws Exception {
    Line line = line(HeadFailure.parkKey());
    failing.add("a");
    send(line, "a");
    awaitSecondTry(line, line::look);
    goOn(line);
    assertThat(received).containsExactly("a");
  }

  @Test
  void whatIsNotCommittedIsAnnouncedWhenItIs() throws Exception {
    Line line = line(HeadFailure.block());
    send(line, "a");
    source.on(commit).cut(Moment.BEFORE);
    assertThat(line.deliver()).isTrue();
    assertThat(handled).containsExactly("a");
    source.reset();
    line.sequence();
    assertThat(received).isEmpty();
    awaitSecondTry(line, () -> {});
    goOn(line);
    assertThat(received).containsExactly("a");
  }
}
