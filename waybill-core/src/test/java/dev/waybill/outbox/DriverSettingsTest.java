package dev.waybill.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * The user's pool decides how the driver does what it does, and guides to performance recommend
 * settings of all kinds. None of them changes what becomes of a message.
 */
@EveryDatabase
class DriverSettingsTest {
  private static final int LARGE = 60_000;

  private final TestDatabase database;

  DriverSettingsTest(TestDatabase database) {
    this.database = database;
  }

  private static List<String> settings(DatabaseProduct product) {
    return switch (product) {
      case POSTGRESQL ->
          List.of(
              "defaultRowFetchSize=1",
              "defaultRowFetchSize=3",
              "prepareThreshold=0",
              "prepareThreshold=1",
              "preferQueryMode=simple",
              "preferQueryMode=extendedForPrepared",
              "autosave=always",
              "autosave=always&cleanupSavepoints=true",
              "binaryTransfer=false",
              "reWriteBatchedInserts=true");
      case MYSQL ->
          List.of(
              "useServerPrepStmts=true&cachePrepStmts=true",
              "useCursorFetch=true&defaultFetchSize=2",
              "useAffectedRows=true",
              "rewriteBatchedStatements=true",
              "allowMultiQueries=true",
              "useLocalSessionState=true",
              "sessionVariables=auto_increment_increment=3");
      case MARIADB ->
          List.of(
              "useServerPrepStmts=true",
              "defaultFetchSize=2",
              "useAffectedRows=true",
              "useBulkStmts=true",
              "allowMultiQueries=true",
              "useLocalSessionState=true",
              "sessionVariables=auto_increment_increment=3");
      case SQLITE -> List.of("cache_size=10", "synchronous=NORMAL");
    };
  }

  private TestDatabase with(String setting) {
    TestDatabase fresh = database.fresh();
    String separator = fresh.url().contains("?") ? "&" : "?";
    return TestDatabase.existing(
        fresh.product(), fresh.url() + separator + setting, fresh.user(), fresh.password());
  }

  @Test
  void whateverTheDriverIsToldEachMessageIsDeliveredOnceAndInOrder() throws Exception {
    for (String setting : settings(database.product())) {
      try (TestDatabase told = with(setting);
          Service service = new Service(told)) {
        deliver(service);
      } catch (Exception | AssertionError e) {
        throw new AssertionError("With " + setting, e);
      }
    }
  }

  private static void deliver(Service service) throws Exception {
    Received leased = new Received();
    Received inTransactions = new Received();
    Outbox outbox =
        service.start(
            o ->
                o.profile(Service.NEVER_LOOKS)
                    .queue("orders", Partitions.of(4))
                    .leased(
                        message -> {
                          leased.add(message);
                          return message.text().equals("bad")
                              ? MessageResult.reject("bad")
                              : MessageResult.ok();
                        })
                    .queue("ledger", Partitions.of(1))
                    .transactional(
                        (tx, message) -> {
                          inTransactions.add(message);
                          return HandlerResult.success();
                        }));
    List<Long> ids = new ArrayList<>();
    for (int round = 0; round < 6; round++) {
      String text = "alone" + round;
      ids.add(
          outbox
              .inTransaction("orders", work -> List.of(EnqueueMessage.of("t", text).partition(0)))
              .id());
      ids.addAll(outbox.inTransaction("orders", work -> batch()).ids());
    }
    outbox.inTransaction(
        connection -> {
          ids.add(outbox.enqueue(connection, "orders", message(1, "bad")).id());
          ids.addAll(
              outbox
                  .enqueueBatch(
                      connection,
                      "orders",
                      List.of(
                          message(2, "later").delay(Duration.ofMillis(1)),
                          message(2, "key").dedupKey("k"),
                          message(2, "again").dedupKey("k")))
                  .ids()
                  .subList(0, 2));
          outbox.enqueueBatch(
              connection,
              "ledger",
              IntStream.range(0, 30).mapToObj(i -> message(0, "" + i)).toList());
        });
    leased.await(ids.size());
    assertThat(leased.soFar())
        .extracting(OutboxMessage::id)
        .containsExactlyInAnyOrderElementsOf(ids);
    for (int partition = 0; partition < 4; partition++) {
      int number = partition;
      List<OutboxMessage> there =
          leased.soFar().stream().filter(each -> each.partition() == number).toList();
      assertThat(there)
          .extracting(OutboxMessage::seq)
          .containsExactlyElementsOf(
              IntStream.rangeClosed(1, there.size()).mapToObj(i -> (long) i).toList());
    }
    assertThat(inTransactions.await(30))
        .containsExactlyElementsOf(IntStream.range(0, 30).mapToObj(i -> "" + i).toList());
    Service.await(() -> service.deadLetters("orders") == 1);
  }

  private static EnqueueMessage message(int partition, String text) {
    return EnqueueMessage.of("test", text).partition(partition);
  }

  /** Several rows of several messages, and some that are too large to share one. */
  private static List<EnqueueMessage> batch() {
    List<EnqueueMessage> batch = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      batch.add(message(i % 4, "x".repeat(i % 5 == 0 ? 900 : 3)));
    }
    batch.add(EnqueueMessage.of("large", new byte[LARGE]).partition(3));
    return batch;
  }
}
