package dev.waybill.internal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.waybill.DatabaseException;
import dev.waybill.internal.sql.Retry;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.NotOn;
import dev.waybill.testkit.TestDatabase;
import java.sql.Connection;
import org.junit.jupiter.api.Test;

@EveryDatabase
@NotOn(
    value = {DatabaseProduct.POSTGRESQL, DatabaseProduct.MARIADB, DatabaseProduct.MYSQL},
    why = "they have no file that is locked as a whole")
class LockedFileTest {
  @Test
  void aWriterWhoStaysTooLongIsContentionAndNoMysteryAndNothingIsBrokenAfterwards(
      TestDatabase database) throws Exception {
    Stores stores = new Stores(database);
    long partition = stores.queue("orders", 1).get(0);
    try (Connection writer = database.connect()) {
      writer.setAutoCommit(false);
      writer.createStatement().execute("update waybill_outbox_queues set retention = 0");
      DatabaseException busy =
          catchThrowableOfType(
              DatabaseException.class,
              () -> stores.database.retrying(Retry.never()).transact(tx -> true));
      assertThat(busy.kind()).isEqualTo(DatabaseException.Kind.CONTENTION);
      writer.rollback();
    }
    assertThat(stores.enqueue(partition, "a")).hasSize(1);
  }
}
