package dev.waybill.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.waybill.InvalidNameException;
import dev.waybill.UnsupportedDatabaseException;
import dev.waybill.spi.DatabaseKind;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.NotOn;
import dev.waybill.testkit.TestDatabase;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class DialectTest {
  /** A connection that can say what it leads to, and nothing else. */
  private static Connection leadingTo(String product, String version) {
    Object metaData =
        Proxy.newProxyInstance(
            DialectTest.class.getClassLoader(),
            new Class<?>[] {DatabaseMetaData.class},
            (self, method, args) ->
                method.getName().equals("getDatabaseProductName") ? product : version);
    return (Connection)
        Proxy.newProxyInstance(
            DialectTest.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (self, method, args) -> metaData);
  }

  @ParameterizedTest
  @CsvSource({
    "PostgreSQL, 14.0, POSTGRES",
    "PostgreSQL, 18.6 (Debian 18.6-1), POSTGRES",
    "PostgreSQL, 19beta1, POSTGRES",
    "MySQL, 8.0.1, MYSQL",
    "MySQL, 9.4.0-commercial, MYSQL",
    "MySQL, 5.5.5-10.6.0-MariaDB-log, MARIADB",
    "MySQL, 11.4.5-MariaDB, MARIADB",
    "MariaDB, 10.11.6-MariaDB, MARIADB",
    "MariaDB, 5.5.5-10.11.6-MariaDB-1:10.11.6+maria~deb12, MARIADB",
    "SQLite, 3.35.0, SQLITE",
    "SQLite, 3.100.1, SQLITE"
  })
  void theProductNameAndVersionTellTheDialect(String product, String version, Dialect dialect)
      throws SQLException {
    assertThat(Dialect.of(leadingTo(product, version))).isEqualTo(dialect);
  }

  @ParameterizedTest
  @CsvSource({
    "PostgreSQL, 13.22, 14.0",
    "PostgreSQL, 9.6.24, 14.0",
    "MySQL, 5.7.44, 8.0.1",
    "MySQL, 8.0.0, 8.0.1",
    "MySQL, 5.5.5-10.5.29-MariaDB, 10.6",
    "MariaDB, 10.5.29-MariaDB, 10.6",
    "SQLite, 3.34.1, 3.35"
  })
  void versionsThatAreTooOldAreRefused(String product, String version, String needed) {
    assertThatThrownBy(() -> Dialect.of(leadingTo(product, version)))
        .isInstanceOf(UnsupportedDatabaseException.class)
        .hasMessageContaining(version)
        .hasMessageContaining("too old")
        .hasMessageContaining(needed);
  }

  @ParameterizedTest
  @CsvSource({"H2, 2.3.232", "Oracle, 23.4", "Microsoft SQL Server, 16.00"})
  void otherProductsAreRefused(String product, String version) {
    assertThatThrownBy(() -> Dialect.of(leadingTo(product, version)))
        .isInstanceOf(UnsupportedDatabaseException.class)
        .hasMessageContaining(product + " " + version)
        .hasMessageContaining("PostgreSQL 14+");
  }

  @ParameterizedTest
  @EnumSource(DatabaseKind.class)
  void everyKindHasADialect(DatabaseKind kind) {
    assertThat(Dialect.of(kind).kind()).isEqualTo(kind);
  }

  @Test
  void identifiersAreQuoted() {
    assertThat(Dialect.POSTGRES.quote("a\"b`c")).isEqualTo("\"a\"\"b`c\"");
    assertThat(Dialect.SQLITE.quote("a\"b`c")).isEqualTo("\"a\"\"b`c\"");
    assertThat(Dialect.MYSQL.quote("a\"b`c")).isEqualTo("`a\"b``c`");
    assertThat(Dialect.MARIADB.quote("a\"b`c")).isEqualTo("`a\"b``c`");
  }

  @Nested
  @EveryDatabase(alsoOldest = true)
  class OnEveryDatabase {
    private final TestDatabase database;

    OnEveryDatabase(TestDatabase database) {
      this.database = database;
    }

    private Dialect expected() {
      return switch (database.product()) {
        case POSTGRESQL -> Dialect.POSTGRES;
        case MYSQL -> Dialect.MYSQL;
        case MARIADB -> Dialect.MARIADB;
        case SQLITE -> Dialect.SQLITE;
      };
    }

    @Test
    void itIsFoundOutThroughEachDriver() throws SQLException {
      for (DataSource source : Sources.throughEachDriver(database)) {
        try (Connection connection = source.getConnection()) {
          assertThat(Dialect.of(connection)).isEqualTo(expected());
        }
      }
    }

    @Test
    @NotOn(value = DatabaseProduct.SQLITE, why = "It has no schemas")
    void theSchemaOfTheConnectionIsPinnedUnlessOneIsNamed() throws SQLException {
      for (DataSource source : Sources.throughEachDriver(database)) {
        try (Connection connection = source.getConnection()) {
          String own =
              expected() == Dialect.POSTGRES
                  ? "public"
                  : database.url().replaceFirst(".*/", "").replaceFirst("\\?.*", "");
          assertThat(expected().pin(Naming.standard(), connection).schema()).isEqualTo(own);
          assertThat(expected().pin(new Naming("a", "b"), connection).schema()).isEqualTo("b");
        }
      }
    }

    @Test
    @NotOn(value = DatabaseProduct.SQLITE, why = "It has no schemas")
    void aConnectionWithoutASchemaIsRefused() throws SQLException {
      String url = database.url().replaceFirst("(//[^/]+/)[^?]*", "$1");
      DataSource source =
          expected() == Dialect.POSTGRES
              ? database.dataSource()
              : Sources.of(url, database.user(), database.password());
      try (Connection connection = source.getConnection()) {
        if (expected() == Dialect.POSTGRES) {
          Sessions.execute(connection, "set search_path = nowhere");
        }
        assertThatThrownBy(() -> expected().pin(Naming.standard(), connection))
            .isInstanceOf(InvalidNameException.class)
            .hasMessageContaining("no current schema");
      }
    }

    @Test
    @NotOn(
        value = {DatabaseProduct.POSTGRESQL, DatabaseProduct.MYSQL, DatabaseProduct.MARIADB},
        why = "They have schemas")
    void withoutSchemasNamingOneIsRefused() throws SQLException {
      try (Connection connection = database.connect()) {
        assertThatThrownBy(() -> Dialect.SQLITE.pin(new Naming("a", "b"), connection))
            .isInstanceOf(InvalidNameException.class)
            .hasMessageContaining("prefix instead");
        assertThatCode(() -> Dialect.SQLITE.pin(new Naming("a", null), connection))
            .doesNotThrowAnyException();
      }
    }
  }
}
