package dev.waybill.internal.sql;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.zip.CRC32;

/**
 * PostgreSQL's LISTEN on a connection of its own. The driver is reached by its public interface
 * through reflection: this library does not depend on any driver.
 *
 * <p>For one thread.
 */
public final class Channel implements AutoCloseable {
  private final Session session;
  private final Connection connection;
  private final Object driverConnection;
  private final Method getNotifications;
  private final Dialect dialect;

  private Channel(
      Session session,
      Connection connection,
      Object driverConnection,
      Method getNotifications,
      Dialect dialect) {
    this.session = session;
    this.connection = connection;
    this.driverConnection = driverConnection;
    this.getNotifications = getNotifications;
    this.dialect = dialect;
  }

  /** The channel's name: its own for each set of tables in a database. */
  public static String name(Database database) {
    var crc = new CRC32();
    Naming naming = database.naming();
    crc.update((naming.schema() + "." + naming.prefix()).getBytes(StandardCharsets.UTF_8));
    return "waybill_" + Long.toHexString(crc.getValue());
  }

  /** Begins to listen. Empty if the database, or the driver in use, has no such thing. */
  public static Optional<Channel> listen(Database database) {
    if (database.dialect() != Dialect.POSTGRES) {
      return Optional.empty();
    }
    Session session = database.session();
    boolean listening = false;
    try {
      Connection connection = session.dedicate();
      // The driver's own classes may be in another class loader than a pool's proxies.
      ClassLoader loader = connection.unwrap(Connection.class).getClass().getClassLoader();
      Class<?> driver = Class.forName("org.postgresql.PGConnection", true, loader);
      Object driverConnection = connection.unwrap(driver);
      Method getNotifications = driver.getMethod("getNotifications", int.class);
      try (Statement statement = connection.createStatement()) {
        statement.execute("listen " + name(database));
      }
      listening = true;
      return Optional.of(
          new Channel(session, connection, driverConnection, getNotifications, database.dialect()));
    } catch (SQLException e) {
      throw SqlFailure.of(database.dialect(), "Listening", e);
    } catch (ReflectiveOperationException e) {
      return Optional.empty();
    } finally {
      if (!listening) {
        session.discard();
      }
    }
  }

  /** What was said since the last call; waits this long for something if there is nothing. */
  public List<String> await(Duration atMost) {
    try {
      Object[] heard =
          (Object[])
              getNotifications.invoke(driverConnection, (int) Math.max(1, atMost.toMillis()));
      List<String> said = new ArrayList<>();
      if (heard != null) {
        for (Object each : heard) {
          said.add((String) each.getClass().getMethod("getParameter").invoke(each));
        }
      }
      return said;
    } catch (InvocationTargetException e) {
      throw SqlFailure.of(dialect, "Listening", e);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("The driver's notifications cannot be read", e);
    }
  }

  /** Stops listening, or ends the connection: given back to a pool it would go on listening. */
  @Override
  public void close() {
    try (Statement statement = connection.createStatement()) {
      statement.execute("unlisten *");
      session.close();
    } catch (SQLException e) {
      session.discard();
    }
  }
}
