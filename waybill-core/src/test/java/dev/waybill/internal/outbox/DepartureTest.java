package dev.waybill.internal.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.waybill.DatabaseException;
import dev.waybill.Migrated;
import dev.waybill.outbox.EnqueueMessage;
import dev.waybill.outbox.HeadFailure;
import dev.waybill.outbox.InvalidMessageException;
import dev.waybill.outbox.LeaseConfig;
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
import dev.waybill.testkit.NotOn;
import dev.waybill.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What comes alone is on its way when its producer has committed. */
@EveryDatabase
@NotOn(
    value = {DatabaseProduct.MARIADB, DatabaseProduct.MYSQL, DatabaseProduct.SQLITE},
    why = "numbering takes several statements there, which would be the producer's")
class DepartureTest {
  /** A producer may be as slow as that before its commit. */
  private static final LeaseConfig LEASE =
      new LeaseConfig(Duration.ofMinutes(1), Duration.ofSeconds(20));

  private final FaultyDataSource source;
  private final TestTime time = new TestTime();
  private final List<String> received = new ArrayList<>();
  private final Line line;

  DepartureTest(TestDatabase database) {
    this.source = new FaultyDataSource(Migrated.on(database).dataSource());
    this.line =
        new Line(
                source,
                "me",
                List.of(
                    new QueueConfig(
                        "parcels",
                        Partitions.of(2),
                        new QueueHandler.Leased(
                            message -> {
                              received.add(message.seq() + message.text());
                              return MessageResult.ok();
                            }),
                        LEASE,
                        HeadFailure.block(),
                        0,
                        Duration.ZERO,
                        Duration.ofMillis(1),
                        null)),
                OutboxProfile.lowLatency(),
                time)
            .departing();
  }

  private void enqueue(Connection connection, int partition, String text) {
    line.door()
        .enqueue(connection, "parcels", EnqueueMessage.of("parcel", text).partition(partition));
  }

  private void send(String... texts) throws Exception {
    line.door()
        .inTransaction(
            connection -> {
              for (String text : texts) {
                enqueue(connection, 0, text);
              }
            });
  }

  private void deliverAll() {
    while (line.deliver()) {
      // the next one
    }
  }

  @Test
  void nobodyElseIsNeeded() throws Exception {
    send("a");
    send("b", "c");
    assertThat(received).containsExactly("1a", "2b", "3c");
    line.sequence();
    assertThat(line.deliver()).isFalse();
  }

  @Test
  void whatIsNotForOnePartitionAtOnceGoesTheOrdinaryWay() throws Exception {
    line.door()
        .inTransaction(
            connection -> {
              enqueue(connection, 0, "a");
              enqueue(connection, 1, "b");
            });
    assertThat(received).isEmpty();
    line.finish();
    assertThat(received).containsExactlyInAnyOrder("1a", "1b");
  }

  @Test
  void whatWaitsInAnotherPartitionHoldsUpNobody() throws Exception {
    line.door()
        .inTransaction(
            connection ->
                line.door()
                    .enqueueBatch(
                        connection,
                        "parcels",
                        List.of(
                            EnqueueMessage.of("parcel", "a").partition(1),
                            EnqueueMessage.of("parcel", "b").partition(1))));
    assertThat(received).isEmpty();
    send("c");
    assertThat(received).containsExactly("1c");
    line.finish();
    assertThat(received).containsExactly("1c", "1a", "2b");
  }

  /** Its producer announced nothing, and still it was there before. */
  @Test
  void whatWaitsUnannouncedIsNotPassedBy() throws Exception {
    try (Connection connection = source.getConnection()) {
      connection.setAutoCommit(false);
      enqueue(connection, 0, "a");
      connection.commit();
    }
    send("b");
    assertThat(received).isEmpty();
    line.finish();
    assertThat(received).containsExactly("1a", "2b");
  }

  @Test
  void workThatFailsTakesNothingAlong() throws Exception {
    assertThatThrownBy(
            () ->
                line.door()
                    .inTransaction(
                        connection -> {
                          enqueue(connection, 0, "a");
                          throw new IllegalArgumentException("no");
                        }))
        .isInstanceOf(IllegalArgumentException.class);
    send("b");
    assertThat(received).containsExactly("1b");
  }

  private void sendLast(String text) throws Exception {
    line.door()
        .inTransaction(
            "parcels", connection -> List.of(EnqueueMessage.of("parcel", text).partition(0)));
  }

  @Test
  void whatTheWorkReturnsDepartsToo() throws Exception {
    sendLast("a");
    sendLast("b");
    send("c");
    sendLast("d");
    assertThat(received).containsExactly("1a", "2b", "3c", "4d");
    line.sequence();
    assertThat(line.deliver()).isFalse();
  }

  @Test
  void whatTheWorkHasEnqueuedGoesBeforeWhatItReturns() throws Exception {
    line.door()
        .inTransaction(
            "parcels",
            connection -> {
              enqueue(connection, 0, "a");
              return List.of(EnqueueMessage.of("parcel", "b").partition(0));
            });
    line.finish();
    assertThat(received).containsExactly("1a", "2b");
  }

  @Test
  void whatWaitsIsNotPassedByWhatTheWorkReturns() throws Exception {
    try (Connection connection = source.getConnection()) {
      connection.setAutoCommit(false);
      enqueue(connection, 0, "a");
      connection.commit();
    }
    sendLast("b");
    assertThat(received).isEmpty();
    line.finish();
    assertThat(received).containsExactly("1a", "2b");
  }

  @Test
  void anAnswerThatWasLostIsFollowedUp() {
    source.on(Fault.sql(sql -> sql.contains("outbox_message_sq"))).cut(Moment.AFTER);
    assertThatThrownBy(() -> sendLast("a")).isInstanceOf(DatabaseException.class);
    source.reset();
    assertThat(received).isEmpty();
    time.advance(Duration.ofMinutes(1));
    deliverAll();
    assertThat(received).containsExactly("1a");
  }

  @Test
  void aStatementThatFailedLeavesNothingBehind() throws Exception {
    source.on(Fault.sql(sql -> sql.contains("outbox_message_sq"))).cut(Moment.BEFORE);
    assertThatThrownBy(() -> sendLast("a")).isInstanceOf(DatabaseException.class);
    source.reset();
    time.advance(Duration.ofMinutes(1));
    deliverAll();
    assertThat(received).isEmpty();
    sendLast("b");
    assertThat(received).containsExactly("1b");
  }

  /** The producer cannot know, and the message must not wait for the end of a lease. */
  @Test
  void aCommitWhoseAnswerWasLostIsFollowedUp() {
    source.on(Fault.commit(1)).cut(Moment.AFTER);
    assertThatThrownBy(() -> send("a")).isInstanceOf(DatabaseException.class);
    source.reset();
    assertThat(received).isEmpty();
    time.advance(Duration.ofMinutes(1));
    deliverAll();
    assertThat(received).containsExactly("1a");
  }

  @Test
  void aCommitWhoseAnswerWasLostIsAnnouncedAllTheSame() throws Exception {
    send("first");
    line.sequence();
    deliverAll();
    received.clear();
    source.on(Fault.commit(1)).cut(Moment.AFTER);
    assertThatThrownBy(
            () ->
                line.door()
                    .inTransaction(
                        connection -> {
                          enqueue(connection, 0, "a");
                          enqueue(connection, 1, "b");
                        }))
        .isInstanceOf(DatabaseException.class);
    source.reset();
    line.sequence();
    deliverAll();
    assertThat(received).containsExactlyInAnyOrder("2a", "1b");
  }

  @Test
  void aCommitThatFailedLeavesNothingBehind() throws Exception {
    source.on(Fault.commit(1)).cut(Moment.BEFORE);
    assertThatThrownBy(() -> send("a")).isInstanceOf(DatabaseException.class);
    source.reset();
    time.advance(Duration.ofMinutes(1));
    deliverAll();
    assertThat(received).isEmpty();
    send("b");
    assertThat(received).containsExactly("1b");
  }

  private static void orphan(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("insert into children values (7)");
    }
  }

  private void constraintThatIsCheckedByTheCommit() throws SQLException {
    try (Connection connection = source.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("drop table if exists children");
      statement.execute("drop table if exists parents");
      statement.execute("create table parents (id int primary key)");
      statement.execute(
          "create table children (parent int references parents deferrable initially deferred)");
    }
  }

  /** What is known to have failed is no reason for the next message to wait. */
  @Test
  void aProducerWhoseCommitIsRefusedHoldsUpNobody() throws Exception {
    constraintThatIsCheckedByTheCommit();
    assertThatThrownBy(
            () ->
                line.door()
                    .inTransaction(
                        connection -> {
                          orphan(connection);
                          enqueue(connection, 0, "a");
                        }))
        .isInstanceOf(DatabaseException.class);
    deliverAll();
    send("b");
    assertThat(received).containsExactly("1b");
    assertThatThrownBy(
            () ->
                line.door()
                    .inTransaction(
                        "parcels",
                        connection -> {
                          orphan(connection);
                          return List.of(EnqueueMessage.of("parcel", "c").partition(0));
                        }))
        .isInstanceOf(DatabaseException.class);
    deliverAll();
    sendLast("d");
    assertThat(received).containsExactly("1b", "2d");
  }

  @Test
  void aProducerWhoReturnsWhatIsNotFitHoldsUpNobody() throws Exception {
    assertThatThrownBy(
            () ->
                line.door()
                    .inTransaction(
                        "parcels",
                        connection -> {
                          enqueue(connection, 0, "a");
                          return List.of(EnqueueMessage.of("parcel", "b").partition(7));
                        }))
        .isInstanceOf(InvalidMessageException.class);
    send("c");
    assertThat(received).containsExactly("1c");
  }
}
