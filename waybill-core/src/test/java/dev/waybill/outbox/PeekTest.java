package dev.waybill.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.waybill.Migrated;
import dev.waybill.Waybill;
import dev.waybill.outbox.OutboxException.InvalidSetting;
import dev.waybill.outbox.OutboxException.NoSuchPartition;
import dev.waybill.outbox.OutboxException.QueueNotRegistered;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Who peeks sees what waits, in order, and takes nothing. */
@EveryDatabase
class PeekTest {
  private static final OutboxProfile SELDOM =
      OutboxProfile.defaults()
          .withRetry(new RetryTuning(Duration.ofHours(1), Duration.ofHours(1), 1));

  private final TestDatabase database;
  private final CountDownLatch tried = new CountDownLatch(1);

  PeekTest(TestDatabase database) {
    this.database = Migrated.on(database);
  }

  private Waybill start() {
    return Waybill.builder(database.pool(10))
        .outbox(
            o ->
                o.profile(SELDOM)
                    .queue("orders", Partitions.of(2))
                    .leased(
                        message -> {
                          if (message.text().equals("done")) {
                            return MessageResult.ok();
                          }
                          tried.countDown();
                          return MessageResult.retry("closed");
                        }))
        .start();
  }

  @Test
  void seesWhatWaitsBeyondTheCursorInOrderAndTakesNothing() throws Exception {
    try (Waybill waybill = start()) {
      Outbox outbox = waybill.outbox();
      outbox.inTransaction(
          connection -> {
            for (String text : List.of("done", "a", "b", "c")) {
              outbox.enqueue(
                  connection,
                  "orders",
                  EnqueueMessage.of("test", text).partition(1).header("from", "shop"));
            }
          });
      assertThat(tried.await(30, TimeUnit.SECONDS)).isTrue();
      // What ends while a process stops does not count as a try.
      Service.await(() -> outbox.status().get(0).partitions().get(1).attempts() == 1);
    }
    try (Waybill operator =
        Waybill.builder(database.dataSource()).outbox(OutboxBuilder::withoutWorkers).start()) {
      Outbox outbox = operator.outbox();
      List<QueueStatus> before = outbox.status();

      List<OutboxMessage> two = outbox.peek("orders", 1, 0, 2);
      assertThat(two).extracting(OutboxMessage::text).containsExactly("a", "b");
      assertThat(two).extracting(OutboxMessage::seq).containsExactly(2L, 3L);
      assertThat(two).extracting(OutboxMessage::attempts).containsExactly(1, 0);
      assertThat(two.get(0).headers()).containsEntry("from", "shop");
      assertThat(two).allMatch(each -> each.partition() == 1 && each.queue().equals("orders"));

      assertThat(outbox.peek("orders", 1, 3, 1_000))
          .extracting(OutboxMessage::text)
          .containsExactly("c");
      assertThat(outbox.peek("orders", 1, 4, 10)).isEmpty();
      assertThat(outbox.peek("orders", 0, 0, 10)).isEmpty();

      PartitionStatus now = outbox.status().get(0).partitions().get(1);
      PartitionStatus then = before.get(0).partitions().get(1);
      assertThat(now.processed()).isEqualTo(then.processed());
      assertThat(now.leaseEpoch()).isEqualTo(then.leaseEpoch());
      assertThat(now.attempts()).isEqualTo(then.attempts());
    }
  }

  @Test
  void saysWhatIsWrong() {
    try (Waybill waybill = start()) {
      Outbox outbox = waybill.outbox();
      assertThatThrownBy(() -> outbox.peek("other", 0, 0, 1))
          .isInstanceOf(QueueNotRegistered.class);
      assertThatThrownBy(() -> outbox.peek("orders", 2, 0, 1))
          .isInstanceOf(NoSuchPartition.class)
          .hasMessageContaining("partitions 0 to 1, not 2");
      assertThatThrownBy(() -> outbox.peek("orders", 0, 0, 0))
          .isInstanceOf(InvalidSetting.class)
          .hasMessageContaining("atMost");
    }
  }
}
