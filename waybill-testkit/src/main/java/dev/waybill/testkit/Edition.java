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
    return usersServer().isEmpty()
        ? label
        : label.substring(0, label.indexOf(' ')) + " at " + urlVariable();
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
    return usersServer()
        .map(address -> new ServerHost(ServerHost.Owner.USER, label(), address))
        .orElseGet(() -> BuildServers.ofThisBuild().host(program()));
  }

  ServerProgram program() {
    String platform = System.getProperty("os.name") + " " + System.getProperty("os.arch");
    if (!platform.equals("Linux amd64")) {
      throw new ServerFailure(this, "its program is for Linux amd64, and this is " + platform);
    }
    return switch (this) {
      case POSTGRESQL -> new PostgresProgram(this, PostgresProgram.onClassPath());
      case OLDEST_POSTGRESQL -> new PostgresProgram(this, PostgresProgram.in(oldestJar()));
      case MARIADB -> new MariaDbProgram();
      case MYSQL -> new MySqlProgram();
      case SQLITE -> throw new IllegalArgumentException("SQLite has no server");
    };
  }

  private Path oldestJar() {
    String jar = System.getProperty(OLDEST_JAR_PROPERTY, "");
    if (jar.isEmpty() || !Files.exists(Path.of(jar))) {
      throw new ServerFailure(
          this, "system property " + OLDEST_JAR_PROPERTY + " names no jar: '" + jar + "'");
    }
    return Path.of(jar);
  }

  private Optional<ServerAddress> usersServer() {
    if (this == OLDEST_POSTGRESQL || this == SQLITE) {
      return Optional.empty();
    }
    return Optional.ofNullable(System.getenv(urlVariable()))
        .filter(url -> !url.isBlank())
        .map(url -> ServerAddress.parse(product, url));
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
