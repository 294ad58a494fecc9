package dev.waybill.internal.schema;

import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.TestDatabase;
import java.sql.SQLException;
import java.util.concurrent.ThreadLocalRandom;
import javax.sql.DataSource;
import org.opentest4j.TestAbortedException;

/** Somebody who may read a database and nothing else; gone when closed. */
final class Reader implements AutoCloseable {
  private final TestDatabase database;
  private final String name = "reader" + ThreadLocalRandom.current().nextInt(1_000_000_000);
  private final String password = "Only-2-read";

  private Reader(TestDatabase database) {
    this.database = database;
  }

  static Reader of(TestDatabase database) throws SQLException {
    Reader reader = new Reader(database);
    reader.create();
    try {
      reader.grant();
    } catch (SQLException | TestAbortedException e) {
      reader.close();
      throw e;
    }
    return reader;
  }

  private void create() throws SQLException {
    switch (database.product()) {
      case POSTGRESQL ->
          database.administer("create role " + name + " login password '" + password + "'");
      // From here and from anywhere: a server may have a nameless user for local logins.
      case MYSQL, MARIADB ->
          database.administer(
              "create user " + hosts(" identified " + plugin() + " by '" + password + "'"));
      // A file that is read only must be there already.
      case SQLITE -> database.execute("create table other (id integer)", "drop table other");
    }
  }

  private void grant() throws SQLException {
    switch (database.product()) {
      case POSTGRESQL ->
          database.administer(
              "revoke create on schema public from public",
              "grant usage on schema public to " + name);
      case MYSQL, MARIADB ->
          database.administer("grant select on " + schema() + ".* to " + hosts(""));
      case SQLITE -> {}
    }
  }

  /** Lets it read the tables there are now. */
  void grantAll() throws SQLException {
    if (database.product() == DatabaseProduct.POSTGRESQL) {
      database.execute("grant select on all tables in schema public to " + name);
    }
  }

  DataSource dataSource() {
    String url = database.url();
    return switch (database.product()) {
      case POSTGRESQL, MARIADB -> Sources.of(url, name, password);
      // A new user's first login asks the server for its key unless the connection is encrypted.
      case MYSQL ->
          Sources.of(
              url + (url.contains("?") ? "&" : "?") + "allowPublicKeyRetrieval=true",
              name,
              password);
      case SQLITE -> Sources.of(url.replaceFirst("\\?.*", "?open_mode=1"), "", "");
    };
  }

  /** MySQL's default cannot work without TLS or keys, which our server has not. */
  private String plugin() {
    return database.product() == DatabaseProduct.MYSQL && !database.isOnUsersServer()
        ? "with mysql_native_password"
        : "";
  }

  private String hosts(String clause) {
    return name + "@'%'" + clause + ", " + name + "@localhost" + clause;
  }

  private String schema() throws SQLException {
    return Rows.of(database, "select schema()").get(0);
  }

  @Override
  public void close() throws SQLException {
    switch (database.product()) {
      case POSTGRESQL -> database.execute("drop owned by " + name, "drop role " + name);
      case MYSQL, MARIADB -> database.execute("drop user " + hosts(""));
      case SQLITE -> {}
    }
  }
}
