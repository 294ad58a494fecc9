package dev.waybill.testkit;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** A product in the version that the tests run on. */
enum Edition {
  POSTGRESQL(DatabaseProduct.POSTGRESQL, "postgresql", "PostgreSQL 18"),
  OLDEST_POSTGRESQL(DatabaseProduct.POSTGRESQL, "postgresql-14", "PostgreSQL 14"),
  MARIADB(DatabaseProduct.MARIADB, "mariadb", "MariaDB 11.4"),
  MYSQL(DatabaseProduct.MYSQL, "mysql", "MySQL 8.0"),
  SQLITE(DatabaseProduct.SQLITE, "sqlite", "SQLite 3");

  static final String OLDEST_JAR_PROPERTY = "waybill.postgres.oldest.jar";

  private static final String PLATFORM = "Linux amd64";

  private final DatabaseProduct product;
  private final String id;
  private final String label;

  Edition(DatabaseProduct product, String id, String label) {
    this.product = product;
    this.id = id;
    this.label = label;
  }

  static Edition newest(DatabaseProduct product) {
    return switch (product) {
      case POSTGRESQL -> POSTGRESQL;
      case MARIADB -> MARIADB;
      case MYSQL -> MYSQL;
      case SQLITE -> SQLITE;
    };
  }

  DatabaseProduct product() {
    return product;
  }

  boolean isExceptedBy(NotOn notOn) {
    return Arrays.asList(notOn.value()).contains(product);
  }

  /** As the user names it on the command line. */
  String id() {
    return id;
  }

  /** As reports name it. A server of the user's own may be of any version. */
  String label() {
    return isUsers() ? label.substring(0, label.indexOf(' ')) + " at " + urlVariable() : label;
  }

  /** The program that the build brings, also while tests use a server of the user's own. */
  String version() {
    return label;
  }

  /** Whether a name means this edition; a product's name means all its editions. */
  boolean isNamed(String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    return lower.equals(id) || lower.equals(newest(product).id);
  }

  DatabaseHost host() {
    if (this == SQLITE) {
      return SqliteHost.inServersFolder(label);
    }
    return isUsers()
        ? new ServerHost(ServerHost.Owner.USER, label(), usersServer())
        : BuildServers.ofThisBuild().host(program());
  }

  /** Why a test that needs a server of its own, to hurt it, has to be left out. */
  Optional<String> whyNoneToHurt() {
    if (LeftOut.fromSystemProperty().contains(this)) {
      return Optional.of(version() + " is left out on request");
    }
    return isUsers() && !canRunHere()
        ? Optional.of(noneToHurt("its program is for " + PLATFORM))
        : Optional.empty();
  }

  String noneToHurt(String why) {
    return "needs a server that it may hurt, which the one at %s is not, and %s cannot start: %s"
        .formatted(urlVariable(), version(), why);
  }

  ServerProgram program() {
    if (!canRunHere()) {
      throw new ServerFailure(this, "its program is for " + PLATFORM + ", and this is " + here());
    }
    return switch (this) {
      case POSTGRESQL -> new PostgresProgram(this, PostgresProgram.onClassPath());
      case OLDEST_POSTGRESQL -> new PostgresProgram(this, PostgresProgram.in(oldestJar()));
      case MARIADB -> new MariaDbProgram();
      case MYSQL -> new MySqlProgram();
      case SQLITE -> throw new IllegalArgumentException("SQLite has no server");
    };
  }

  private static boolean canRunHere() {
    return here().equals(PLATFORM);
  }

  private static String here() {
    return System.getProperty("os.name") + " " + System.getProperty("os.arch");
  }

  private Path oldestJar() {
    String jar = System.getProperty(OLDEST_JAR_PROPERTY, "");
    if (jar.isEmpty() || !Files.exists(Path.of(jar))) {
      throw new ServerFailure(
          this, "system property " + OLDEST_JAR_PROPERTY + " names no jar: '" + jar + "'");
    }
    return Path.of(jar);
  }

  /** Whether tests of this edition run on a server of the user's own. */
  boolean isUsers() {
    return mayBeUsers() && !usersUrl().isBlank();
  }

  boolean mayBeUsers() {
    return this != OLDEST_POSTGRESQL && this != SQLITE;
  }

  ServerAddress usersServer() {
    return ServerAddress.parse(product, usersUrl());
  }

  private String usersUrl() {
    String url = System.getenv(urlVariable());
    return url == null ? "" : url.strip();
  }

  /** The environment variable that names a server of the user's own. */
  String urlVariable() {
    return switch (product) {
      case POSTGRESQL -> "WAYBILL_TEST_POSTGRES_URL";
      case MARIADB -> "WAYBILL_TEST_MARIADB_URL";
      case MYSQL -> "WAYBILL_TEST_MYSQL_URL";
      case SQLITE -> throw new IllegalArgumentException("SQLite has no server");
    };
  }
}
