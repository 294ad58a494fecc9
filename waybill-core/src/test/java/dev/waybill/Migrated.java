package dev.waybill;

import dev.waybill.schema.Schema;
import dev.waybill.testkit.Preparation;
import dev.waybill.testkit.TestDatabase;

/** Databases with Waybill's tables and nothing in them, quickly. */
public final class Migrated {
  private static final Preparation TABLES = database -> Schema.migrate(database.dataSource());

  private Migrated() {}

  /** For one test method. A test that alters tables or fills them migrates a fresh one. */
  public static TestDatabase on(TestDatabase database) {
    return database.prepared(TABLES);
  }
}
