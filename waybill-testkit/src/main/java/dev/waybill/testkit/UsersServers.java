package dev.waybill.testkit;

import java.sql.Connection;
import java.sql.Driver;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Locale;
import java.util.ServiceLoader;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/**
 * Tries the servers of the user's own before any test: a mistyped password is one message and not
 * as many failures as there are classes.
 */
public final class UsersServers implements LauncherSessionListener {

  private static final Duration PATIENCE = Duration.ofSeconds(10);

  @Override
  public void launcherSessionOpened(LauncherSession session) {
    LeftOut leftOut = LeftOut.fromSystemProperty();
    for (Edition edition : Edition.values()) {
      if (edition.isUsers() && !leftOut.contains(edition)) {
        registerDrivers();
        tryOut(edition);
      }
    }
  }

  /** Maven looks for tests in its own process, which knows the drivers of an earlier module. */
  private static void registerDrivers() {
    ServiceLoader.load(Driver.class, UsersServers.class.getClassLoader()).stream()
        .forEach(ServiceLoader.Provider::get);
  }

  private static void tryOut(Edition edition) {
    ServerAddress server;
    try {
      server = edition.usersServer();
    } catch (IllegalArgumentException e) {
      throw ServerFailure.ofUsers(edition, String.valueOf(e.getMessage()), e);
    }
    try {
      tryOut(edition, server);
    } catch (SQLException | IllegalStateException e) {
      String who = "as " + (server.user().isEmpty() ? "nobody" : "'" + server.user() + "'");
      throw ServerFailure.ofUsers(edition, who + " at " + server.hostAndPort() + ": " + e, e);
    }
  }

  static void tryOut(Edition edition, ServerAddress server) throws SQLException {
    try (Connection connection = server.admin().connectWithin(PATIENCE)) {
      String version = connection.getMetaData().getDatabaseProductVersion();
      // Either driver talks to either server, and the counts would name the wrong one.
      boolean isMariaDb = version.toLowerCase(Locale.ROOT).contains("mariadb");
      if (edition != Edition.POSTGRESQL && isMariaDb != (edition == Edition.MARIADB)) {
        throw new SQLException("that is " + (isMariaDb ? "MariaDB " : "MySQL ") + version);
      }
    }
    ServerHost host = new ServerHost(ServerHost.Owner.USER, edition.label(), server);
    try (TestDatabase database = host.create()) {
      database.execute("create table parcel (id int)");
      if (edition != Edition.POSTGRESQL) {
        // Where there is a binary log, owning the table is not enough for this.
        database.execute(
            "create trigger parcel_tg before insert on parcel for each row set new.id = 1");
      }
    }
  }
}
