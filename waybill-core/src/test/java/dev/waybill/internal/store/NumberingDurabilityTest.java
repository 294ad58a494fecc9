package dev.waybill.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.NotOn;
import dev.waybill.testkit.TestDatabase;
import dev.waybill.testkit.TestServer;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Numbering does not wait for the disk. What a handler was given under a lease has the same numbers
 * after a crash of the server; what nobody was given may have to be numbered again, and nothing is
 * lost. Nor does ending a lease: what was done may have to be done again, under a new lease.
 */
@EveryDatabase
@NotOn(
    value = {DatabaseProduct.MYSQL, DatabaseProduct.MARIADB, DatabaseProduct.SQLITE},
    why = "numbering waits for the disk there")
@Tag("once")
@Timeout(120)
class NumberingDurabilityTest {
  private static final int CRASHES = 4;

  private final DatabaseProduct product;

  NumberingDurabilityTest(TestDatabase given) {
    this.product = given.product();
  }

  @Test
  void aCrashTakesNoNumberBackThatAHandlerHasSeen() {
    try (TestServer server = TestServer.own(product)) {
      Stores stores = new Stores(server.database());
      long[] partition = {stores.queue("orders", 1).get(0)};
      List<Long> enqueued = new ArrayList<>();
      for (int crash = 0; crash < CRASHES; crash++) {
        for (String payload : List.of("a", "b", "c")) {
          enqueued.add(stores.enqueue(partition[0], payload)[0]);
        }
        stores.messages.sequence(partition, 2);
        // The same owner takes its own lease again.
        Delivery handled =
            stores.messages.lease(partition[0], "w", Stores.MINUTE, 1_000).orElseThrow();
        stores.messages.sequence(partition, 2);
        Lease lease = new Lease(partition[0], "w", handled.epoch(), Stores.MINUTE);
        long done = handled.processedSeq() + crash % 2;
        assertThat(stores.messages.end(lease, CursorMove.doneUpTo(done), List.of())).isTrue();
        server.kill();
        server.start();

        stores = new Stores(server.database());
        stores.messages.sequence(partition, 1_000);
        PartitionState state = stores.messages.state(partition[0]);
        assertThat(state.processedSeq()).isIn(handled.processedSeq(), done);
        assertThat(state.epoch()).isEqualTo(handled.epoch());
        int cursor = (int) state.processedSeq();
        List<StoredMessage> found = stores.messages.peek(partition[0], 0, 1_000).messages();
        assertThat(found)
            .extracting(StoredMessage::id)
            .containsExactlyElementsOf(enqueued.subList(cursor, enqueued.size()));
        assertThat(handled.messages()).isNotEmpty();
        for (StoredMessage seen : handled.messages()) {
          assertThat(seen.id()).isEqualTo(enqueued.get((int) seen.seq() - 1));
        }
        assertThat(found)
            .extracting(StoredMessage::seq)
            .containsExactlyElementsOf(
                LongStream.rangeClosed(cursor + 1, enqueued.size()).boxed().toList());
      }
    }
  }
}
