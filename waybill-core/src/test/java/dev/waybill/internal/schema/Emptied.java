package dev.waybill.internal.schema;

import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.TestDatabase;
import java.sql.SQLException;

/**
 * An empty database for tests that need hundreds: where making one is slow, the same one, swept.
 *
 * @param database empty when this was made
 * @param own whether it is dropped when this is closed
 */
record Emptied(TestDatabase database, boolean own) implements AutoCloseable {

  static Emptied of(TestDatabase database) throws SQLException {
    if (database.product() != DatabaseProduct.POSTGRESQL) {
      return new Emptied(database.fresh(), true);
    }
    database.execute("drop schema public cascade", "create schema public");
    return new Emptied(database, false);
  }

  @Override
  public void close() {
    if (own) {
      database.close();
    }
  }
}
