package dev.waybill.internal.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.waybill.DatabaseException;
import dev.waybill.DatabaseException.Kind;
import dev.waybill.schema.SchemaIncompatibleException.QueryFailed;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.Fault;
import dev.waybill.testkit.FaultyDataSource;
import dev.waybill.testkit.TestDatabase;
import java.io.IOException;
import java.net.ServerSocket;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** The database does not answer, or says no. */
@EveryDatabase(alsoOldest = true)
class ErrorsTest {
  private final TestDatabase database;

  ErrorsTest(TestDatabase database) {
    this.database = database.fresh();
  }

  @Test
  void nobodyIsThere() throws IOException {
    DataSource nowhere = Sources.of(urlToNowhere(), database.user(), database.password());
    QueryFailed failed = catchThrowableOfType(QueryFailed.class, () -> TestSet.guard(nowhere));
    assertThat(failed.verdict()).isEqualTo("query-failed");
    assertThat(failed)
        .hasMessageStartingWith("Opening the database failed")
        .hasCause(failed.failure());
    assertThat(failed.failure()).hasRootCauseInstanceOf(Exception.class);
    assertThat(failed.failure().kind()).isEqualTo(Kind.DISCONNECTED);
  }

  @Test
  void theServerIsLostBeforeTheLock() throws SQLException {
    for (int connect = 2; connect <= 3; connect++) {
      FaultyDataSource faulty = new FaultyDataSource(database.dataSource());
      faulty.on(Fault.connect(connect)).cut(Fault.Moment.BEFORE);
      SchemaGuard guard = TestSet.guard(faulty);
      assertThatThrownBy(guard::migrate)
          .isInstanceOfSatisfying(
              QueryFailed.class,
              failed -> assertThat(failed.failure().kind()).isEqualTo(Kind.DISCONNECTED));
      assertThatThrownBy(
              () -> {
                FaultyDataSource other = new FaultyDataSource(database.dataSource());
                other.on(Fault.connect(2)).cut(Fault.Moment.BEFORE);
                TestSet.guard(other).check();
              })
          .isInstanceOf(QueryFailed.class)
          .hasMessageStartingWith("Checking the schema failed");
    }
    // The third connection was that of the cutover, after all migrations.
    assertThat(Rows.history(database)).isEqualTo(TestSet.VERSIONS);
    assertThat(TestSet.guard(database).migrate()).isEmpty();
  }

  @Test
  void aConnectionCutInTheMiddleOfAMigrationFreesTheLockAtOnce() throws SQLException {
    TestSet.guard(database.dataSource(), TestSet.options(), TestSet.upTo(2)).migrate();
    FaultyDataSource faulty = new FaultyDataSource(database.dataSource());
    faulty.on(Fault.sql(sql -> sql.contains("parcel_weight_ix"))).cut(Fault.Moment.BEFORE);
    try (ErrorLog log = new ErrorLog("dev.waybill.internal.store.SchemaLock")) {
      assertThatThrownBy(() -> TestSet.guard(faulty).migrate())
          .isInstanceOfSatisfying(
              QueryFailed.class,
              failed -> assertThat(failed.failure().kind()).isEqualTo(Kind.DISCONNECTED))
          .hasMessageStartingWith("Migration 3 (log) failed");
      boolean ownLock = database.product() != DatabaseProduct.SQLITE;
      assertThat(log.errors()).hasSize(ownLock ? 1 : 0);
    }
    Recovery.of(database).complete();
    assertThat(Rows.history(database)).isEqualTo(TestSet.VERSIONS);
  }

  @Test
  void permissionDenied() throws SQLException {
    try (Reader reader = Reader.of(database)) {
      SchemaGuard guard = TestSet.guard(reader.dataSource());
      assertThatThrownBy(guard::migrate)
          .isInstanceOfSatisfying(
              QueryFailed.class,
              failed -> {
                assertThat(failed.failure().kind()).isEqualTo(Kind.FATAL);
                assertThat(failed.failure().getCause()).isInstanceOf(SQLException.class);
              })
          .hasMessageContaining("the database refused");
    }
    assertThat(SchemaDump.of(database)).isEmpty();
  }

  @Test
  void aRefusedCheckSaysWhatItWasDoing() {
    TestSet.guard(database).migrate();
    FaultyDataSource faulty = new FaultyDataSource(database.dataSource());
    SchemaGuard guard = TestSet.guard(faulty);
    faulty.on(Fault.sql(sql -> sql.contains("order by version"))).fail(Fault.Moment.BEFORE);
    assertThatThrownBy(guard::check)
        .isInstanceOf(QueryFailed.class)
        .hasCauseInstanceOf(DatabaseException.class)
        .hasMessageContaining("schema_history_rows");
    guard.check();
  }

  private String urlToNowhere() throws IOException {
    return switch (database.product()) {
      case SQLITE -> database.url().replaceFirst("/[^/]+\\?.*", "/no/such/folder/a.db");
      default -> {
        try (ServerSocket free = new ServerSocket(0)) {
          yield database.url().replaceFirst(":\\d+/", ":" + free.getLocalPort() + "/");
        }
      }
    };
  }
}
