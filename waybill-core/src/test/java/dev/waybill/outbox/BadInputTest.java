package dev.waybill.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.waybill.DatabaseException;
import dev.waybill.TransactionRequiredException;
import dev.waybill.Waybill;
import dev.waybill.internal.store.StoredRows;
import dev.waybill.outbox.InvalidMessageException.InvalidDedupKey;
import dev.waybill.outbox.InvalidMessageException.InvalidDeliveryTime;
import dev.waybill.outbox.InvalidMessageException.InvalidHeader;
import dev.waybill.outbox.InvalidMessageException.InvalidKey;
import dev.waybill.outbox.InvalidMessageException.InvalidMessageType;
import dev.waybill.outbox.InvalidMessageException.PartitionAndKey;
import dev.waybill.outbox.InvalidMessageException.PartitionOutOfRange;
import dev.waybill.outbox.InvalidMessageException.PartitionRequired;
import dev.waybill.outbox.InvalidMessageException.PayloadTooLarge;
import dev.waybill.outbox.OutboxException.InvalidQueueName;
import dev.waybill.outbox.OutboxException.QueueNotRegistered;
import dev.waybill.schema.SchemaIncompatibleException;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.Operation;
import dev.waybill.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * What a producer may hand over that cannot be enqueued: an error of a type of its own that says
 * which message and what to do, before any statement; and what looks odd but is good arrives as it
 * was.
 */
@EveryDatabase
class BadInputTest {
  private static final String QUEUE = "orders";
  private static final EnqueueMessage GOOD = EnqueueMessage.of("test", "x").partition(0);

  private final TestDatabase database;
  private final Service service;
  private final Received received = new Received();

  BadInputTest(TestDatabase database) {
    this.database = database.fresh();
    this.service = new Service(this.database);
  }

  @AfterEach
  void stop() {
    service.close();
  }

  private Outbox outbox(int partitions) {
    return service.start(
        o -> o.withoutWorkers().queue(QUEUE, Partitions.of(partitions)).produceOnly());
  }

  private Outbox delivering() {
    return service.start(
        o ->
            o.profile(OutboxProfile.lowLatency())
                .queue(QUEUE, Partitions.of(1))
                .leased(
                    message -> {
                      received.add(message);
                      return MessageResult.ok();
                    }));
  }

  /** The second of two, so that the first must not be there either, and the place is told. */
  private void assertRefused(
      Outbox outbox,
      String queue,
      EnqueueMessage bad,
      Class<? extends OutboxException> type,
      String sentence)
      throws Exception {
    outbox.inTransaction(
        connection -> {
          service.faulty().reset();
          assertThatThrownBy(() -> outbox.enqueueBatch(connection, queue, Arrays.asList(GOOD, bad)))
              .isInstanceOf(type)
              .hasMessageContaining(sentence)
              .hasMessageNotContaining("secret")
              .satisfies(
                  e -> {
                    if (e instanceof InvalidMessageException invalid) {
                      assertThat(invalid.index()).isEqualTo(1);
                      assertThat(e).hasMessageStartingWith("Message 1: ");
                    }
                  });
          assertThat(service.faulty().trace())
              .as("%s", sentence)
              .noneMatch(each -> each.kind() == Operation.Kind.STATEMENT);
        });
    assertNothingIsThere();
  }

  private void assertNothingIsThere() throws Exception {
    assertThat(service.number(StoredRows.count(database.product()))).isZero();
    assertThat(service.number("select count(*) from waybill_outbox_dedup")).isZero();
    assertThat(service.number("select count(*) from waybill_outbox_delayed")).isZero();
  }

  @Test
  void queueNamesThatAreNone() throws Exception {
    Outbox outbox = outbox(1);
    for (String bad :
        List.of("", " ", "or ders", "größe", "a\0b", "a\nb", "-a", "a-", "a'b", "😀")) {
      assertRefused(outbox, bad, GOOD, InvalidQueueName.class, "A name has 1 to 1024");
    }
    assertRefused(outbox, "a".repeat(1025), GOOD, InvalidQueueName.class, "has 1025 characters");
    for (String other : List.of("Orders", "orders2", "a".repeat(1024))) {
      assertRefused(outbox, other, GOOD, QueueNotRegistered.class, "Name it when the outbox is");
    }
  }

  @Test
  void typesHeadersAndKeysThatAreNone() throws Exception {
    Outbox outbox = outbox(1);
    for (String bad : List.of("", "a\0b", "a\tb", "naïve", "😀", "t".repeat(1025))) {
      assertRefused(
          outbox, QUEUE, EnqueueMessage.of(bad, "x"), InvalidMessageType.class, "printable ASCII");
    }
    for (String bad : List.of("", "a b", "ä", "n".repeat(256))) {
      assertRefused(
          outbox, QUEUE, GOOD.header(bad, "x"), InvalidHeader.class, "A name has 1 to 255");
    }
    for (String bad : List.of("secret\0", "secret\r\nb: c", "secret\udc00", "x".repeat(8192))) {
      assertRefused(
          outbox, QUEUE, GOOD.header("h", bad), InvalidHeader.class, "a value no control");
    }
    EnqueueMessage bare = EnqueueMessage.of("test", "x");
    for (String bad : List.of("", "secret\0", "secret\u0085", "secret\ud800", "k".repeat(1025))) {
      assertRefused(outbox, QUEUE, bare.key(bad), InvalidKey.class, "A key has 1 to 1024 bytes");
      assertRefused(
          outbox, QUEUE, bare.dedupKey(bad), InvalidDedupKey.class, "It has 1 to 1024 bytes");
    }
  }

  @Test
  void partitionsThatAreNone() throws Exception {
    Outbox outbox = outbox(4);
    for (int bad : List.of(-1, 4, Integer.MIN_VALUE, Integer.MAX_VALUE)) {
      assertRefused(
          outbox,
          QUEUE,
          EnqueueMessage.of("test", "x").partition(bad),
          PartitionOutOfRange.class,
          "has no partition " + bad);
    }
    assertRefused(
        outbox, QUEUE, EnqueueMessage.of("test", "x"), PartitionRequired.class, "with key(…)");
    assertRefused(outbox, QUEUE, GOOD.key("k"), PartitionAndKey.class, "leave one of them out");
  }

  @Test
  void payloadsAboveTheLimitAreRefused() throws Exception {
    assertRefused(
        outbox(1),
        QUEUE,
        EnqueueMessage.of("test", new byte[65_537]).partition(0),
        PayloadTooLarge.class,
        "65537 bytes, at most 65536");
  }

  @Test
  void payloadsAtTheLimitAreTaken() throws Exception {
    Outbox outbox = delivering();
    outbox.inTransaction(
        connection ->
            outbox.enqueueBatch(
                connection,
                QUEUE,
                List.of(
                    EnqueueMessage.of("test", new byte[65_536]), EnqueueMessage.of("test", ""))));
    received.await(2);
    assertThat(received.soFar())
        .extracting(message -> message.payload().length)
        .containsExactly(65_536, 0);
  }

  @Test
  void whatIsAtItsLimitArrivesAsItWas() throws Exception {
    Outbox outbox = delivering();
    String name = "t".repeat(1024);
    String key = "😀".repeat(256);
    outbox.inTransaction(
        connection ->
            outbox.enqueue(
                connection,
                QUEUE,
                EnqueueMessage.of(name, "Grüße\0\u0007 😀")
                    .key(key)
                    .dedupKey(key)
                    .header("n".repeat(255), "x".repeat(7_000))));
    received.await(1);
    OutboxMessage message = received.soFar().get(0);
    assertThat(message.type()).isEqualTo(name);
    assertThat(message.key()).isEqualTo(key);
    assertThat(message.text()).isEqualTo("Grüße\0\u0007 😀");
    assertThat(message.headers()).containsEntry("n".repeat(255), "x".repeat(7_000));
  }

  @Test
  void aTimeBefore1970MeansAtOnceAndHoldsUpNobody() throws Exception {
    Outbox outbox = delivering();
    List<Instant> odd =
        List.of(
            Instant.MIN,
            Instant.parse("0000-01-01T00:00:00Z"),
            Instant.parse("1969-12-31T23:59:59.999999999Z"),
            Instant.EPOCH);
    outbox.inTransaction(
        connection -> {
          for (Instant each : odd) {
            outbox.enqueue(connection, QUEUE, EnqueueMessage.of("test", "" + each).deliverAt(each));
          }
          outbox.enqueueBatch(
              connection,
              QUEUE,
              List.of(
                  EnqueueMessage.of("test", "both").deliverAt(Instant.MIN),
                  EnqueueMessage.of("test", "later").delay(Duration.ofMillis(20))));
        });
    received.await(odd.size() + 2);
    assertThat(service.number("select count(*) from waybill_outbox_delayed")).isZero();
    List<String> expected = new ArrayList<>(List.of("both", "later"));
    odd.forEach(each -> expected.add("" + each));
    assertThat(received.soFar())
        .extracting(OutboxMessage::text)
        .containsExactlyInAnyOrderElementsOf(expected);
  }

  @Test
  void timesThatNobodyWillSee() throws Exception {
    Outbox outbox = outbox(1);
    for (Instant bad : List.of(Instant.MAX, Instant.parse("+10000-01-01T00:00:00Z"))) {
      assertRefused(
          outbox, QUEUE, GOOD.deliverAt(bad), InvalidDeliveryTime.class, "before the year 10000");
    }
    for (Duration bad :
        List.of(
            Duration.ofNanos(-1),
            Duration.ofSeconds(Long.MIN_VALUE),
            Duration.ofDays(36_501),
            Duration.ofSeconds(Long.MAX_VALUE, 999_999_999))) {
      assertRefused(
          outbox, QUEUE, GOOD.delay(bad), InvalidDeliveryTime.class, "between zero and 100 years");
    }
    outbox.inTransaction(
        connection -> {
          outbox.enqueue(connection, QUEUE, GOOD.delay(Duration.ofDays(36_500)));
          outbox.enqueue(connection, QUEUE, GOOD.deliverAt(Instant.parse("9999-12-30T00:00:00Z")));
        });
    assertThat(service.number("select count(*) from waybill_outbox_delayed")).isEqualTo(2);
  }

  @Test
  @SuppressWarnings("NullAway") // what a caller without such checks may do
  void aNullAmongMessagesIsNamedByItsPlace() throws Exception {
    Outbox outbox = outbox(1);
    outbox.inTransaction(
        connection -> {
          service.faulty().reset();
          assertThatThrownBy(
                  () ->
                      outbox.enqueueBatch(connection, QUEUE, Arrays.asList(GOOD, GOOD, null, GOOD)))
              .isInstanceOf(NullPointerException.class)
              .hasMessageStartingWith("Message 2 ")
              .hasMessageContaining("EnqueueMessage.of");
          assertThat(service.faulty().trace())
              .noneMatch(each -> each.kind() == Operation.Kind.STATEMENT);
        });
    assertNothingIsThere();
  }

  @Test
  void connectionsThatCannotCarryAMessage() throws Exception {
    Outbox outbox = outbox(1);
    try (Connection autoCommit = database.connect()) {
      assertThatThrownBy(() -> outbox.enqueue(autoCommit, QUEUE, GOOD))
          .isInstanceOf(TransactionRequiredException.class)
          .hasMessageContaining("setAutoCommit(false)");
    }
    Connection closed = database.connect();
    closed.setAutoCommit(false);
    closed.close();
    assertThatThrownBy(() -> outbox.enqueue(closed, QUEUE, GOOD))
        .isInstanceOf(TransactionRequiredException.class)
        .hasMessageContaining("is closed");
    assertNothingIsThere();
  }

  @Test
  void aTransactionThatMayNotWriteIsRefusedWithASentence() throws Exception {
    Outbox outbox = outbox(1);
    List<List<EnqueueMessage>> calls =
        List.of(
            List.of(GOOD),
            List.of(GOOD.delay(Duration.ofHours(1)), GOOD),
            List.of(GOOD.dedupKey("k")));
    for (List<EnqueueMessage> call : calls) {
      try (Connection readOnly = database.connect();
          Statement statement = readOnly.createStatement()) {
        readOnly.setAutoCommit(false);
        // Behind the driver's back, so that only the database knows.
        statement.execute(
            switch (database.product()) {
              case POSTGRESQL -> "set transaction read only";
              case MARIADB, MYSQL -> "start transaction read only";
              case SQLITE -> "pragma query_only = on";
            });
        assertThatThrownBy(() -> outbox.enqueueBatch(readOnly, QUEUE, call))
            .isInstanceOf(TransactionRequiredException.class)
            .hasMessageContaining("read-only")
            .hasCauseInstanceOf(DatabaseException.class);
      }
      assertNothingIsThere();
    }
  }

  @Test
  void aQueueDeclaredTwiceAndASchemaThatIsNotThereStopTheStart() throws Exception {
    assertThatThrownBy(
            () ->
                service.start(
                    o ->
                        o.queue(QUEUE, Partitions.of(1))
                            .produceOnly()
                            .queue(QUEUE, Partitions.of(1))
                            .produceOnly()))
        .isInstanceOf(OutboxException.QueueRegisteredTwice.class)
        .hasMessageContaining("Give each queue one handler");
    TestDatabase empty = database.fresh();
    assertThatThrownBy(
            () ->
                Waybill.builder(empty.dataSource())
                    .outbox(o -> o.queue(QUEUE, Partitions.of(1)).produceOnly())
                    .start())
        .isInstanceOf(SchemaIncompatibleException.HistoryMissing.class);
    database.execute("update waybill_schema_history set checksum = 'other'");
    assertThatThrownBy(() -> outbox(1)).isInstanceOf(SchemaIncompatibleException.class);
    assertNothingIsThere();
  }

  @Test
  @SuppressWarnings("NullAway") // what a caller without such checks may do
  void operatorsWhoNameNothingAreToldWhat() throws Exception {
    Outbox outbox = outbox(2);
    List<ThrowingCallable> calls =
        List.of(
            () -> outbox.pause(null),
            () -> outbox.pause(null, 0),
            () -> outbox.resume(null),
            () -> outbox.resume(null, 0),
            () -> outbox.peek(null, 0, 0, 1),
            () -> outbox.grow(null, Partitions.of(4)));
    for (ThrowingCallable call : calls) {
      assertThatThrownBy(call)
          .isInstanceOf(NullPointerException.class)
          .hasMessage("The queue's name must not be null.");
    }
    assertThatThrownBy(() -> outbox.grow(QUEUE, null)).hasMessageContaining("Partitions.of");
    assertThatThrownBy(() -> outbox.inTransaction(null)).hasMessageContaining("must not be null");
    for (int bad : List.of(-1, 2, Integer.MIN_VALUE, Integer.MAX_VALUE)) {
      assertThatThrownBy(() -> outbox.pause(QUEUE, bad))
          .isInstanceOf(OutboxException.NoSuchPartition.class);
      assertThatThrownBy(() -> outbox.resume(QUEUE, bad))
          .isInstanceOf(OutboxException.NoSuchPartition.class);
      assertThatThrownBy(() -> outbox.peek(QUEUE, bad, 0, 1))
          .isInstanceOf(OutboxException.NoSuchPartition.class);
    }
    for (String bad : List.of("", " ", "größe", "a'b", "x".repeat(2_000), "\ud800")) {
      assertThatThrownBy(() -> outbox.pause(bad)).isInstanceOf(QueueNotRegistered.class);
      assertThatThrownBy(() -> outbox.grow(bad, Partitions.of(4)))
          .isInstanceOf(QueueNotRegistered.class);
    }
    assertThatThrownBy(() -> outbox.peek(QUEUE, 0, 0, 0))
        .isInstanceOf(OutboxException.InvalidSetting.class);
    assertThat(outbox.peek(QUEUE, 0, Long.MAX_VALUE, 1_000)).isEmpty();
    assertThat(outbox.peek(QUEUE, 0, Long.MIN_VALUE, 1_000)).isEmpty();
    assertThat(outbox.status().get(0).partitions()).hasSize(2);
  }
}
