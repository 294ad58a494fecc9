package dev.waybill.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.NotOn;
import dev.waybill.testkit.TestDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Somebody has told sessions to take ids ahead, and with that given up the order of messages. */
@EveryDatabase(alsoOldest = true)
@NotOn(
    value = {DatabaseProduct.MARIADB, DatabaseProduct.MYSQL, DatabaseProduct.SQLITE},
    why = "ids come from no sequence")
class SequenceCacheTest {
  private final TestDatabase database;
  private final Service service;

  SequenceCacheTest(TestDatabase database) {
    this.database = database.fresh();
    this.service = new Service(this.database);
  }

  @AfterEach
  void stop() {
    service.close();
  }

  private Outbox outbox() {
    return service.start(o -> o.queue("orders", Partitions.of(1)).produceOnly());
  }

  @Test
  void theStartIsRefusedUntilIdsAreGivenOneByOne() throws Exception {
    database.execute("alter sequence waybill_outbox_message_sq cache 20");
    assertThatThrownBy(this::outbox)
        .isInstanceOf(OutboxException.InvalidSetting.class)
        .hasMessageContaining("is 20")
        .hasMessageContaining("waybill_outbox_message_sq")
        .hasMessageContaining("CACHE 1");
    assertThat(service.number("select count(*) from waybill_outbox_queues")).isZero();
    database.execute("alter sequence waybill_outbox_message_sq cache 1");
    outbox();
    assertThat(service.number("select count(*) from waybill_outbox_queues")).isEqualTo(1);
  }
}
