package dev.waybill.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.NotOn;
import dev.waybill.testkit.TestDatabase;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A transactional handler that says success, and a database that says no. */
@EveryDatabase
@NotOn(
    value = {DatabaseProduct.MARIADB, DatabaseProduct.MYSQL, DatabaseProduct.SQLITE},
    why = "an error ends a statement there, not the transaction, and no constraint is deferred")
class RefusedCommitTest {
  private final Service service;
  private final Received received = new Received();
  private final Logged log = new Logged("dev.waybill");

  RefusedCommitTest(TestDatabase database) throws SQLException {
    TestDatabase fresh = database.fresh();
    service = new Service(fresh);
    fresh.execute(
        "create table effects (note text not null)",
        "create table parents (id int primary key)",
        "create table children (parent int references parents deferrable initially deferred)");
  }

  @AfterEach
  void stop() {
    service.close();
    log.close();
  }

  private void deliver(TransactionalHandler handler) throws Exception {
    deliver(handler, HeadFailure.deadLetterAfter(3));
  }

  private void deliver(TransactionalHandler handler, HeadFailure onFailure) throws Exception {
    Outbox outbox =
        service.start(
            o ->
                o.profile(
                        Service.NEVER_LOOKS.withRetry(
                            new RetryTuning(Duration.ofMillis(1), Duration.ofMillis(1), 1)))
                    .queue("ledger", Partitions.of(1))
                    .onFailure(onFailure)
                    .transactional(handler));
    outbox.inTransaction(
        connection -> {
          for (String text : List.of("a", "bad", "c")) {
            outbox.enqueue(connection, "ledger", EnqueueMessage.of("test", text).key(text));
          }
        });
    received.await(all -> all.stream().anyMatch(each -> each.text().equals("c")));
    Service.await(() -> service.deadLetters("ledger") == 1);
    Service.await(() -> service.number("select count(*) from effects") == 2);
    assertThat(service.number("select seq from waybill_outbox_dead_letters")).isEqualTo(2);
  }

  private HandlerResult write(HandlerTransaction tx, OutboxMessage message, String spoil)
      throws SQLException {
    received.add(message);
    try (Statement statement = tx.connection().createStatement()) {
      if (message.text().equals("bad")) {
        statement.execute(spoil);
      }
      statement.execute("insert into effects values ('" + message.text() + "')");
    }
    return HandlerResult.success();
  }

  @Test
  void aMessageThatSpoilsTheCommitIsGivenUpAndTheOthersHappenOnce() throws Exception {
    deliver((tx, message) -> write(tx, message, "insert into children values (7)"));
  }

  @Test
  void aMessageThatSpoilsTheCommitIsParkedOnceItIsAloneAndGivenUpThere() throws Exception {
    deliver(
        (tx, message) -> write(tx, message, "insert into children values (7)"),
        HeadFailure.parkKey().withDeadLetterAfter(5));
    Service.await(() -> service.number("select count(*) from waybill_outbox_parked") == 0);
  }

  @Test
  void aHandlerThatKeepsAnErrorToItselfIsNotBelieved() throws Exception {
    deliver(
        (tx, message) -> {
          try {
            return write(tx, message, "no such statement");
          } catch (SQLException swallowed) {
            return HandlerResult.success();
          }
        });
  }
}
