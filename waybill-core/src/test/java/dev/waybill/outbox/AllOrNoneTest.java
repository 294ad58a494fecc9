package dev.waybill.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.waybill.DatabaseException;
import dev.waybill.internal.store.StoredRows;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.Fault;
import dev.waybill.testkit.Fault.Moment;
import dev.waybill.testkit.Operation;
import dev.waybill.testkit.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A call that fails in one of its statements, and a caller who commits all the same: what the call
 * wrote is gone, all of it, and what the transaction wrote before and after is there.
 */
@EveryDatabase
class AllOrNoneTest {
  private static final String QUEUE = "orders";

  private final TestDatabase database;
  private final Service service;

  AllOrNoneTest(TestDatabase database) {
    this.database = database.fresh();
    this.service = new Service(this.database);
  }

  @AfterEach
  void stop() {
    service.close();
  }

  /** Calls that may take several statements. */
  enum Shape {
    DELAYED {
      @Override
      List<EnqueueMessage> messages() {
        return List.of(message("a"), message("b").delay(Duration.ofHours(1)), message("c"));
      }
    },
    LARGE {
      @Override
      List<EnqueueMessage> messages() {
        return IntStream.range(0, 40)
            .mapToObj(i -> EnqueueMessage.of("test", new byte[60_000]))
            .toList();
      }
    },
    WITH_KEYS {
      @Override
      List<EnqueueMessage> messages() {
        return List.of(message("a").dedupKey("a"), message("b"), message("c").dedupKey("c"));
      }
    };

    abstract List<EnqueueMessage> messages();
  }

  private static EnqueueMessage message(String text) {
    return EnqueueMessage.of("test", text);
  }

  private Outbox outbox() {
    return service.start(o -> o.withoutWorkers().queue(QUEUE, Partitions.of(1)).produceOnly());
  }

  private long messages() throws Exception {
    return service.number(StoredRows.count(database.product()));
  }

  /** Whether it writes to our tables. */
  private static boolean writes(String sql) {
    String text = sql.toLowerCase(Locale.ROOT).strip();
    return text.contains("waybill_outbox") && !text.startsWith("select");
  }

  @ParameterizedTest
  @EnumSource
  void aCallThatFailsInAnyOfItsStatementsLeavesNothing(Shape shape) throws Exception {
    Outbox outbox = outbox();
    int statements = statements(outbox, shape);
    long before = messages();
    for (int nth = 1; nth <= statements; nth++) {
      // One statement whose answer is lost has lost its connection, and so its transaction.
      for (Moment moment : statements == 1 ? List.of(Moment.BEFORE) : List.of(Moment.values())) {
        int failing = nth;
        outbox.inTransaction(
            connection -> {
              outbox.enqueue(connection, QUEUE, message("before"));
              service.faulty().on(Fault.sql(failing, AllOrNoneTest::writes)).fail(moment);
              assertThatThrownBy(
                      () -> outbox.enqueueBatch(connection, QUEUE, keysOf(failing, moment, shape)))
                  .isInstanceOf(DatabaseException.class);
              service.faulty().reset();
              outbox.enqueue(connection, QUEUE, message("after"));
            });
        before += 2;
        assertThat(messages())
            .as("statement %s of %s fails %s", nth, statements, moment)
            .isEqualTo(before);
      }
    }
    assertThat(service.number("select count(*) from waybill_outbox_delayed")).isLessThan(2);
  }

  /** Keys that nobody has, or the call would know them. */
  private static List<EnqueueMessage> keysOf(int nth, Moment moment, Shape shape) {
    List<EnqueueMessage> messages = new ArrayList<>();
    for (EnqueueMessage each : shape.messages()) {
      messages.add(each.dedupKey() == null ? each : each.dedupKey(each.dedupKey() + nth + moment));
    }
    return messages;
  }

  /** Of one call, that write; made once for that. */
  private int statements(Outbox outbox, Shape shape) throws Exception {
    int[] count = {0};
    outbox.inTransaction(
        connection -> {
          service.faulty().reset();
          outbox.enqueueBatch(connection, QUEUE, shape.messages());
          count[0] =
              (int)
                  service.faulty().trace().stream()
                      .filter(each -> each.kind() == Operation.Kind.STATEMENT)
                      .filter(each -> writes(each.sql()))
                      .count();
        });
    assertThat(count[0]).isPositive();
    return count[0];
  }

  @Test
  void keysOfACallThatFailedAreFree() throws Exception {
    Outbox outbox = outbox();
    outbox.inTransaction(
        connection -> {
          service
              .faulty()
              .on(Fault.sql(2, sql -> writes(sql) && sql.contains("dedup")))
              .fail(Moment.BEFORE);
          assertThatThrownBy(
                  () -> outbox.enqueueBatch(connection, QUEUE, Shape.WITH_KEYS.messages()))
              .isInstanceOf(DatabaseException.class);
          service.faulty().reset();
        });
    assertThat(service.number("select count(*) from waybill_outbox_dedup")).isZero();
    outbox.inTransaction(
        connection ->
            assertThat(
                    outbox.enqueueBatch(connection, QUEUE, Shape.WITH_KEYS.messages()).duplicates())
                .isEmpty());
    assertThat(messages()).isEqualTo(3);
  }

  @Test
  void aCallOfOneStatementTakesNoSavepoint() throws Exception {
    Outbox outbox = outbox();
    outbox.inTransaction(
        connection -> {
          outbox.enqueue(connection, QUEUE, message("who comes first learns the slots"));
          service.faulty().reset();
          outbox.enqueueBatch(connection, QUEUE, List.of(message("a"), message("b")));
          long statements =
              service.faulty().trace().stream()
                  .filter(each -> each.kind() == Operation.Kind.STATEMENT)
                  .count();
          switch (database.product()) {
            case POSTGRESQL, MYSQL, MARIADB -> assertThat(statements).isOne();
            case SQLITE -> assertThat(statements).isLessThan(6);
          }
        });
  }
}
