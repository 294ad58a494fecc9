package dev.waybill.testkit;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
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
        tryOut(edition);
      }
    }
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
      String product = connection.getMetaData().getDatabaseProductName();
      // Either driver talks to either server, and the counts would name the wrong one.
      if (!product.equalsIgnoreCase(edition.product().name())) {
        throw new SQLException(
            "that is %s %s"
                .formatted(product, connection.getMetaData().getDatabaseProductVersion()));
      }
    }
    new ServerHost(ServerHost.Owner.USER, edition.label(), server).create().close();
  }
}
