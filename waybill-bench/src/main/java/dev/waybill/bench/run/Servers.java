package dev.waybill.bench.run;

import dev.waybill.bench.scenario.Ground;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.TestDatabase;
import dev.waybill.testkit.TestServer;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The servers of a benchmark: ours, started when first needed, or the user's. */
final class Servers implements AutoCloseable {
  private final @Nullable String url;
  private final Map<DatabaseProduct, TestServer> running = new EnumMap<>(DatabaseProduct.class);
  private final Map<DatabaseProduct, Ground> grounds = new EnumMap<>(DatabaseProduct.class);
  private final Map<String, String> versions = new TreeMap<>();

  Servers(@Nullable String url) {
    this.url = url;
  }

  Ground ground(DatabaseProduct product) throws SQLException {
    Ground ground = grounds.get(product);
    if (ground == null) {
      ground = newGround(product);
      grounds.put(product, ground);
    }
    return ground;
  }

  private Ground newGround(DatabaseProduct product) throws SQLException {
    if (product == DatabaseProduct.SQLITE) {
      try (TestDatabase database = TestDatabase.inFile()) {
        return noted(database, new Ground(product, "", 0));
      }
    }
    if (url != null) {
      try (TestDatabase database = TestDatabase.onServer(product, url)) {
        return noted(database, new Ground(product, url, 0));
      }
    }
    TestServer server = TestServer.roomy(product);
    running.put(product, server);
    return noted(server.database(), new Ground(product, url(server.database()), server.pid()));
  }

  private Ground noted(TestDatabase database, Ground ground) throws SQLException {
    try (Connection connection = database.connect()) {
      versions.put(database.product().name(), connection.getMetaData().getDatabaseProductVersion());
    }
    return ground;
  }

  /** With what drivers need so that batches of inserts become one statement. */
  private static String url(TestDatabase database) {
    String batching =
        switch (database.product()) {
          case POSTGRESQL -> "reWriteBatchedInserts=true";
          case MYSQL -> "rewriteBatchedStatements=true";
          case MARIADB -> "useBulkStmts=true";
          case SQLITE -> "";
        };
    return database.url()
        + (database.url().contains("?") ? "&" : "?")
        + batching
        + "&user="
        + encoded(database.user())
        + "&password="
        + encoded(database.password());
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  Map<String, String> versions() {
    return versions;
  }

  @Override
  public void close() {
    running.values().forEach(TestServer::close);
  }
}
