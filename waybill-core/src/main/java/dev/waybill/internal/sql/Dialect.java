package dev.waybill.internal.sql;

import dev.waybill.InvalidNameException;
import dev.waybill.UnsupportedDatabaseException;
import dev.waybill.spi.DatabaseKind;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What differs between the databases below the level of statements. */
public enum Dialect {
  POSTGRES(DatabaseKind.POSTGRESQL, '"', "14.0"),
  MYSQL(DatabaseKind.MYSQL, '`', "8.0.1"),
  MARIADB(DatabaseKind.MARIADB, '`', "10.6"),
  SQLITE(DatabaseKind.SQLITE, '"', "3.35");

  private static final Pattern VERSION = Pattern.compile("(\\d+)\\.(\\d+)(?:\\.(\\d+))?");

  /**
   * Names with these endings are indexes, constraints or triggers: they live in their table's
   * schema.
   */
  private static final Pattern BELONGS_TO_TABLE = Pattern.compile(".*_(ix|uq|ck|pk|tg)");

  private final DatabaseKind kind;
  private final char quote;
  private final String oldest;

  Dialect(DatabaseKind kind, char quote, String oldest) {
    this.kind = kind;
    this.quote = quote;
    this.oldest = oldest;
  }

  /** The dialect of a kind of database. */
  public static Dialect of(DatabaseKind kind) {
    for (Dialect dialect : values()) {
      if (dialect.kind == kind) {
        return dialect;
      }
    }
    throw new IllegalArgumentException("No dialect for " + kind);
  }

  /** Asks the connection what it leads to; refuses products and versions we do not run on. */
  static Dialect of(Connection connection) throws SQLException {
    DatabaseMetaData metaData = connection.getMetaData();
    String product = metaData.getDatabaseProductName();
    String version = metaData.getDatabaseProductVersion();
    Dialect dialect =
        switch (product.toLowerCase(Locale.ROOT)) {
          case "postgresql" -> POSTGRES;
          case "mariadb" -> MARIADB;
          // Connector/J calls every server MySQL; MariaDB says who it is in the version.
          case "mysql" -> version.contains("MariaDB") ? MARIADB : MYSQL;
          case "sqlite" -> SQLITE;
          default ->
              throw new UnsupportedDatabaseException(
                  "Waybill does not run on "
                      + product
                      + " "
                      + version
                      + "; it runs on PostgreSQL 14+, MySQL 8.0.1+, MariaDB 10.6+ and SQLite 3.35+.");
        };
    dialect.requireVersion(version);
    return dialect;
  }

  void requireVersion(String version) {
    // Connector/J reports MariaDB as 5.5.5-10.11.6-MariaDB: the last number is the server's own.
    String own = this == MARIADB ? version.replaceFirst("^5\\.5\\.5-", "") : version;
    if (number(own) < number(oldest)) {
      throw new UnsupportedDatabaseException(
          kind.label() + " " + version + " is too old: Waybill needs " + oldest + " or newer.");
    }
  }

  /** A version as one number; a development build without one counts as newest. */
  private static long number(String version) {
    Matcher matcher = VERSION.matcher(version);
    if (!matcher.find()) {
      return Long.MAX_VALUE;
    }
    String patch = matcher.group(3) == null ? "0" : matcher.group(3);
    return Long.parseLong(matcher.group(1)) * 1_000_000
        + Long.parseLong(matcher.group(2)) * 1_000
        + Long.parseLong(patch);
  }

  /** The kind of database this is the dialect of. */
  public DatabaseKind kind() {
    return kind;
  }

  /** Where its SQL files are. */
  public String folder() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Quotes an identifier. */
  public String quote(String identifier) {
    return quote + identifier.replace("" + quote, "" + quote + quote) + quote;
  }

  /** The user's name for a name of the files, quoted and, where it needs one, with its schema. */
  public String identifier(String nameInFile, Naming naming) {
    String name = quote(naming.rename(nameInFile));
    String schema = naming.schema();
    if (schema == null || BELONGS_TO_TABLE.matcher(nameInFile).matches()) {
      return name;
    }
    return quote(schema) + "." + name;
  }

  /**
   * Pins the schema the connection works in, so that no later change of a search path can lead us
   * to other tables of the same name.
   */
  Naming pin(Naming naming, Connection connection) throws SQLException {
    if (this == SQLITE) {
      if (naming.schema() != null) {
        throw new InvalidNameException(
            "SQLite has no schemas: leave the schema out and use a table prefix instead.");
      }
      return naming;
    }
    if (naming.schema() != null) {
      return naming;
    }
    String own = this == POSTGRES ? connection.getSchema() : connection.getCatalog();
    if (own == null || own.isEmpty()) {
      throw new InvalidNameException(
          "The connection has no current schema: name one in the JDBC URL or in the options.");
    }
    return naming.inSchema(own);
  }
}
