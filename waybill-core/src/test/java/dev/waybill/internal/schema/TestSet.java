package dev.waybill.internal.schema;

import dev.waybill.internal.loop.Time;
import dev.waybill.internal.sql.Dialect;
import dev.waybill.schema.SchemaOptions;
import dev.waybill.testkit.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import javax.sql.DataSource;

/**
 * Five migrations made for tests: tables and rows, a trigger with a body, altered tables, and a
 * fenced one that a cutover completes.
 */
final class TestSet {
  static final List<Long> VERSIONS = List.of(1L, 2L, 3L, 4L, 5L);

  private static final List<String> NAMES =
      List.of(
          "V001__guard",
          "V002__parcels",
          "V003__log",
          "V004__requests",
          "V005__require_requests",
          "C005__require_requests");

  private TestSet() {}

  static Migrations all(Dialect dialect) {
    return load(dialect, NAMES);
  }

  /** An older release: the migrations up to a version, and no cutover. */
  static Function<Dialect, Migrations> upTo(int version) {
    return dialect -> load(dialect, NAMES.subList(0, version));
  }

  /** A release without one of the migrations. */
  static Function<Dialect, Migrations> without(int version) {
    return dialect ->
        load(dialect, NAMES.stream().filter(name -> !name.contains("00" + version)).toList());
  }

  /** Some of the migrations, and no cutover. */
  static Function<Dialect, Migrations> only(Integer... versions) {
    return dialect ->
        load(dialect, Stream.of(versions).map(version -> NAMES.get(version - 1)).toList());
  }

  /** With one more migration, which gives the lock away while it runs. */
  static Migrations losingTheLock(Dialect dialect) {
    return load(dialect, List.of(NAMES.get(0), "V006__lose_the_lock"));
  }

  private static Migrations load(Dialect dialect, List<String> names) {
    return Migrations.load("/dev/waybill/testset/", dialect, names);
  }

  static SchemaGuard guard(TestDatabase database) {
    return guard(database.dataSource());
  }

  static SchemaGuard guard(DataSource dataSource) {
    return guard(dataSource, options(), TestSet::all);
  }

  static SchemaGuard guard(
      DataSource dataSource, SchemaOptions options, Function<Dialect, Migrations> bundle) {
    return SchemaGuard.of(dataSource, options, bundle, Time.system());
  }

  /** The lock is waited for less long than a test has patience. */
  static SchemaOptions options() {
    return SchemaOptions.defaults().withLockTimeout(Duration.ofSeconds(30));
  }

  static Dialect dialect(TestDatabase database) {
    return switch (database.product()) {
      case POSTGRESQL -> Dialect.POSTGRES;
      case MYSQL -> Dialect.MYSQL;
      case MARIADB -> Dialect.MARIADB;
      case SQLITE -> Dialect.SQLITE;
    };
  }

  /** The checksum of a migration where this database is concerned. */
  static String checksum(TestDatabase database, long version) {
    return all(dialect(database)).find(version).orElseThrow().checksum();
  }
}
