package dev.waybill.bench.scenario;

import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.TestDatabase;

/**
 * The server that a trial runs on.
 *
 * @param product the server's
 * @param url of the server, with user and password; unused for SQLite
 * @param pid of the server's first process; 0 if it is not ours to know
 */
public record Ground(DatabaseProduct product, String url, long pid) {

  /** A new, empty database. */
  TestDatabase database() {
    return product == DatabaseProduct.SQLITE
        ? TestDatabase.inFile()
        : TestDatabase.onServer(product, url);
  }
}
