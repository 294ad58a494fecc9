package dev.waybill.testkit;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;
import javax.sql.DataSource;
import org.opentest4j.TestAbortedException;

/** A database that was empty when the test got it and is gone after it. Thread-safe. */
public final class TestDatabase implements AutoCloseable {

  /** No access to a database or table, a privilege lacks, or may not be granted. */
  private static final Set<Integer> FORBIDDEN_BY_MYSQL = Set.of(1044, 1142, 1227, 1410, 1419);

  private final DatabaseHost host;
  private final String label;
  private final String name;
  private final DatabaseAddress address;
  private final Deque<AutoCloseable> closeFirst = new ArrayDeque<>();
  private final Deque<TestDatabase> ofThisTest = new ArrayDeque<>();
  private boolean closed;

  TestDatabase(DatabaseHost host, String label, String name, DatabaseAddress address) {
    this.host = host;
    this.label = label;
    this.name = name;
    this.address = address;
  }

  /**
   * A new database on a server of the user's own, dropped when closed.
   *
   * @param url such as {@code jdbc:postgresql://host:port/database?user=u&password=p}, whose user
   *     may create databases
   */
  public static TestDatabase onServer(DatabaseProduct product, String url) {
    ServerAddress server = ServerAddress.parse(product, url);
    return new ServerHost(ServerHost.Owner.USER, product + " at " + server.hostAndPort(), server)
        .create();
  }

  /** A database that is there already, of another process perhaps; closing it drops nothing. */
  public static TestDatabase existing(
      DatabaseProduct product, String url, String user, String password) {
    DatabaseHost nobodys =
        new DatabaseHost() {
          @Override
          public TestDatabase create() {
            throw new UnsupportedOperationException("Only whoever made " + url + " can do that");
          }

          @Override
          public TestDatabase create(Preparation preparation) {
            return create();
          }

          @Override
          public void drop(String name) {}

          @Override
          public boolean isUsers() {
            return false;
          }
        };
    return new TestDatabase(
        nobodys, product.name(), url, new DatabaseAddress(product, url, user, password));
  }

  /** A new SQLite file, deleted when closed. */
  public static TestDatabase inFile() {
    return SqliteHost.inServersFolder("SQLite 3").create();
  }

  public DatabaseProduct product() {
    return address.product();
  }

  /** What its host knows it by. */
  String name() {
    return name;
  }

  /** Product and version for people, such as "PostgreSQL 18". */
  public String label() {
    return label;
  }

  /** Whether its server is the user's own, whose settings and users are not ours to decide. */
  public boolean isOnUsersServer() {
    return host.isUsers();
  }

  /** Without user and password. */
  public String url() {
    return address.url();
  }

  public String user() {
    return address.user();
  }

  public String password() {
    return address.password();
  }

  /** A new connection, which the caller closes. */
  public Connection connect() throws SQLException {
    return address.connect();
  }

  /** A source of new connections, unpooled. */
  public DataSource dataSource() {
    return new DriverDataSource(address);
  }

  /** A pool that is closed with this database. */
  public HikariDataSource pool(int size) {
    HikariConfig config = new HikariConfig();
    config.setDataSource(dataSource());
    config.setMaximumPoolSize(size);
    config.setMinimumIdle(1); // the rest only if somebody wants it: connecting is what costs most
    return closedWithThis(new HikariDataSource(config));
  }

  /** Another empty database on the same server, dropped with this one. */
  public TestDatabase fresh() {
    return closedWithThis(host.create());
  }

  /**
   * Another database on the same server, as the preparation leaves an empty one, until the test
   * method ends. Where making tables is slow the next test gets the same tables with the same rows,
   * so whoever alters a table takes a {@link #fresh} database.
   */
  public synchronized TestDatabase prepared(Preparation preparation) {
    TestDatabase database = host.create(preparation);
    ofThisTest.push(database);
    return database;
  }

  /** Gives back what was prepared for a test method. */
  synchronized void endOfTest() {
    while (!ofThisTest.isEmpty()) {
      ofThisTest.pop().close();
    }
  }

  /** Runs statements one by one, each in its own transaction. */
  public void execute(String... sql) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      for (String each : sql) {
        statement.execute(each);
      }
    }
  }

  /**
   * Like {@link #execute}, for what only an administrator may do. If the user may not, whom we were
   * given for a server that is not ours, the test is left out.
   */
  public void administer(String... sql) throws SQLException {
    try {
      execute(sql);
    } catch (SQLException e) {
      if (isOnUsersServer() && isForbidden(e)) {
        throw new TestAbortedException(
            "needs what '%s' may not do on %s: %s".formatted(user(), label, e.getMessage()), e);
      }
      throw e;
    }
  }

  private boolean isForbidden(SQLException failure) {
    return product() == DatabaseProduct.POSTGRESQL
        ? "42501".equals(failure.getSQLState())
        : FORBIDDEN_BY_MYSQL.contains(failure.getErrorCode());
  }

  /** Drops the database. Those that a parameter brought are dropped without this. */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    endOfTest();
    while (!closeFirst.isEmpty()) {
      try {
        closeFirst.pop().close();
      } catch (Exception e) {
        throw new IllegalStateException("Cannot close what belongs to " + this, e);
      }
    }
    host.drop(name);
  }

  private synchronized <T extends AutoCloseable> T closedWithThis(T resource) {
    closeFirst.push(resource);
    return resource;
  }

  @Override
  public String toString() {
    return label + " " + url();
  }
}
