package dev.waybill.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.TestDatabase;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** How a batch ends is stored however large it is: a user may ask for batches of any size. */
@EveryDatabase
class LargeOutcomeTest {
  /** Their columns are more parameters than any protocol has. */
  private static final int MANY = 7_000;

  private final Stores stores;
  private final long partition;

  LargeOutcomeTest(TestDatabase database) {
    this.stores = new Stores(database);
    this.partition = stores.queue("orders", 1).get(0);
  }

  private Delivery leased() {
    byte[] payload = "x".getBytes(StandardCharsets.UTF_8);
    List<NewMessage> all = new ArrayList<>();
    for (int i = 0; i < MANY; i++) {
      all.add(new NewMessage(partition, "test", "k", Map.of(), payload, null, null));
    }
    stores.database.transact(tx -> stores.messages.enqueue(tx, all));
    stores.messages.sequence(new long[] {partition}, MANY);
    Delivery delivery = stores.messages.lease(partition, "me", Stores.MINUTE, MANY).orElseThrow();
    assertThat(delivery.messages()).hasSize(MANY);
    return delivery;
  }

  private boolean ended(
      Delivery delivery, List<NewDeadLetter> deadLetters, List<NewParked> parked) {
    Lease lease = new Lease(partition, "me", delivery.epoch(), Stores.MINUTE);
    CursorMove move = CursorMove.doneUpTo(delivery.sequence());
    return stores.messages.end(lease, move, deadLetters, parked);
  }

  @Test
  void allOfABatchAreRejected() {
    Delivery delivery = leased();
    List<NewDeadLetter> all = new ArrayList<>();
    for (StoredMessage each : delivery.messages()) {
      all.add(new NewDeadLetter(partition, each, "bad", 1));
    }
    assertThat(ended(delivery, all, List.of())).isTrue();
    long count =
        stores.database.single(
            tx ->
                tx.query("select count(*) as n from waybill_outbox_dead_letters")
                    .one(row -> row.number("n")));
    assertThat(count).isEqualTo(MANY);
  }

  @Test
  void allOfABatchAreParked() {
    Delivery delivery = leased();
    List<NewParked> all = new ArrayList<>();
    for (StoredMessage each : delivery.messages()) {
      all.add(
          all.isEmpty() ? new NewParked(each, 1, "busy", Duration.ZERO) : NewParked.follower(each));
    }
    assertThat(ended(delivery, List.of(), all)).isTrue();
    assertThat(stores.messages.state(partition).parked()).isEqualTo(MANY);
  }
}
