package dev.waybill.internal.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.Migrated;
import dev.waybill.outbox.EnqueueMessage;
import dev.waybill.outbox.HeadFailure;
import dev.waybill.outbox.MessageResult;
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
import org.junit.jupiter.api.Test;

/** Messages that find their partition idle go the short way. */
@EveryDatabase
class ExpressTest {
  private final DatabaseProduct product;
  private final FaultyDataSource source;
  private final TestTime time = new TestTime();
  private final List<String> received = new ArrayList<>();
  private final Line line;

  ExpressTest(TestDatabase database) {
    this.product = database.product();
    this.source = new FaultyDataSource(Migrated.on(database).dataSource());
    this.line =
        new Line(
            source,
            "me",
            List.of(
                new QueueConfig(
                    "parcels",
                    Partitions.of(1),
                    new QueueHandler.Leased(
                        message -> {
                          received.add(message.text());
                          return message.text().equals("again") && received.size() == 1
                              ? MessageResult.retry("not yet")
                              : MessageResult.ok();
                        }),
                    Line.LEASE,
                    HeadFailure.block(),
                    0,
                    Duration.ZERO,
                    Duration.ofMillis(1),
                    null)),
            OutboxProfile.lowLatency(),
            time);
  }

  private void enqueue(String... texts) throws Exception {
    line.door()
        .inTransaction(
            connection -> {
              for (String text : texts) {
                line.door().enqueue(connection, "parcels", EnqueueMessage.of("parcel", text));
              }
            });
  }

  @Test
  void whatFindsItsPartitionIdleIsDeliveredByTheVisitThatNumbersIt() throws Exception {
    enqueue("a", "b");
    line.sequence();
    assertThat(received).containsExactly("a", "b");
    assertThat(line.deliver()).isFalse();
    enqueue("c");
    line.sequence();
    assertThat(received).containsExactly("a", "b", "c");
  }

  @Test
  void whatCannotGoTheShortWayGoesTheOrdinaryOne() throws Exception {
    enqueue("again");
    line.sequence();
    while (line.deliver()) {
      // where it was only numbered
    }
    enqueue("b");
    line.sequence();
    assertThat(received).containsExactly("again");
    line.finish();
    assertThat(received).containsExactly("again", "again", "b");
  }

  /** Nobody but the one who asked could know that there is something to deliver. */
  @Test
  void aVisitWhoseAnswerWasLostIsFollowedUpWithoutALookAtAllPartitions() throws Exception {
    enqueue("a");
    source
        .on(
            switch (product) {
              case POSTGRESQL -> Fault.sql(sql -> sql.startsWith("with locked"));
              case MYSQL, MARIADB -> Fault.commit(1);
              case SQLITE -> Fault.sql("commit"::equals);
            })
        .cut(Moment.AFTER);
    line.sequence();
    assertThat(received).isEmpty();
    source.reset();
    time.advance(Duration.ofMinutes(1));

    line.sequence();
    while (line.deliver()) {
      // the next one
    }

    assertThat(received).containsExactly("a");
  }
}
