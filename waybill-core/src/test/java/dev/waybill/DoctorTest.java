package dev.waybill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.tuple;

import dev.waybill.Finding.Severity;
import dev.waybill.internal.doctor.Examination;
import dev.waybill.internal.doctor.Thresholds;
import dev.waybill.internal.loop.Time;
import dev.waybill.internal.sql.Database;
import dev.waybill.internal.store.MessageStore;
import dev.waybill.internal.store.NewMessage;
import dev.waybill.internal.store.QueueStore;
import dev.waybill.internal.store.StoredRows;
import dev.waybill.internal.store.Stores;
import dev.waybill.schema.Schema;
import dev.waybill.schema.SchemaOptions;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.NotOn;
import dev.waybill.testkit.TestDatabase;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is the same on every database. */
@EveryDatabase
@Timeout(120)
class DoctorTest {
  private final TestDatabase given;
  private final Examined examined;

  DoctorTest(TestDatabase given) {
    this.given = given;
    examined = Examined.on(given);
  }

  /** The one finding that is not fine. */
  private Finding only(List<Finding> findings) {
    assertThat(examined.worse(findings)).hasSize(1);
    Finding finding = examined.worse(findings).get(0);
    assertThat(finding.remedy()).isNotEmpty();
    return finding;
  }

  private TestDatabase fresh() {
    TestDatabase database = given.fresh();
    Schema.migrate(database.dataSource());
    return database;
  }

  @Test
  void aHealthyDatabaseHasNothingButWhatIsFine() {
    TestDatabase database = Migrated.on(given);
    line(database, 3);

    List<Finding> findings = Doctor.examine(database.dataSource());

    assertThat(examined.worse(findings)).isEmpty();
    assertThat(findings)
        .filteredOn(finding -> finding.severity() == Severity.OK)
        .allMatch(finding -> finding.remedy().isEmpty())
        .extracting(Finding::code)
        .doesNotHaveDuplicates();
    assertThat(findings)
        .extracting(Finding::code)
        .startsWith("schema", "tables", "indexes", "clock-skew")
        .contains("read-only", "durability")
        .endsWith("head-of-line");
    assertThat(findings.get(findings.size() - 1).what()).contains("1 partition");
  }

  @Test
  void otherNamesAreFoundWhereTheyAre() {
    TestDatabase database = given.fresh();
    SchemaOptions acme = SchemaOptions.defaults().withPrefix("Acme_");
    Schema.migrate(database.dataSource(), acme);

    assertThat(examined.worse(Doctor.examine(database.dataSource(), acme))).isEmpty();
    Finding missing = only(Doctor.examine(database.dataSource()));
    assertThat(missing.code()).isEqualTo("schema");
  }

  @Test
  void whereNobodyMigratedTheVerdictIsAFinding() {
    Finding finding = only(Doctor.examine(given.fresh().dataSource()));

    assertThat(finding.code()).isEqualTo("schema");
    assertThat(finding.severity()).isEqualTo(Severity.PROBLEM);
    assertThat(finding.what()).startsWith("[history-missing] There is no Waybill schema here");
    assertThat(finding.remedy()).startsWith("Run Schema.migrate");
  }

  @Test
  void aHistoryThatIsNotOursIsAFinding() throws SQLException {
    TestDatabase database = Migrated.on(given);
    database.execute("update waybill_schema_history set checksum = 'other' where version = 2");

    Finding finding = only(Doctor.examine(database.dataSource()));

    assertThat(finding.code()).isEqualTo("schema");
    assertThat(finding.what()).startsWith("[checksum-conflict] Migration 2");
  }

  @Test
  void ofAnOldSchemaOnlyWhatIsThereIsExpected() throws SQLException {
    TestDatabase database = fresh();
    for (String table : List.of("change", "attribute", "edge", "step")) {
      database.execute("drop table waybill_workflow_" + table);
    }
    database.execute(
        "drop table waybill_workflow", "delete from waybill_schema_history where version = 4");

    Finding finding = only(Doctor.examine(database.dataSource()));

    assertThat(finding.what()).startsWith("[too-old] Migration 4");
  }

  @Test
  void aMissingIndexIsNamed() throws SQLException {
    TestDatabase database = fresh();
    String index = "waybill_outbox_dead_letters_list_ix";
    database.execute(
        "drop index " + index + (isMySql(database) ? " on waybill_outbox_dead_letters" : ""));

    Finding finding = only(Doctor.examine(database.dataSource()));

    assertThat(finding.code()).isEqualTo("indexes");
    assertThat(finding.severity()).isEqualTo(Severity.PROBLEM);
    assertThat(finding.what()).contains(index);
  }

  @Test
  void aMissingTableIsNamed() throws SQLException {
    TestDatabase database = fresh();
    database.execute("drop table waybill_job_log");

    Finding finding = only(Doctor.examine(database.dataSource()));

    assertThat(finding.code()).isEqualTo("tables");
    assertThat(finding.severity()).isEqualTo(Severity.PROBLEM);
    assertThat(finding.what()).contains("waybill_job_log");
  }

  @Test
  void aMissingTableOfTheOutboxDoesNotKeepTheOthersFromBeingExamined() throws SQLException {
    TestDatabase database = fresh();
    database.execute("drop table waybill_outbox_processor");

    assertThat(only(Doctor.examine(database.dataSource())).what())
        .contains("waybill_outbox_processor");
  }

  @Test
  void aMissingBodyIsFound() throws SQLException {
    TestDatabase database = Migrated.on(given);
    long[] ids = line(database, 5);
    database.execute(StoredRows.lose(database.product(), ids[3]));

    Finding finding = only(Doctor.examine(database.dataSource()));

    assertThat(finding.code()).isEqualTo("head-of-line");
    assertThat(finding.what())
        .contains("partition 0 of the queue 'orders'")
        .contains("number 4 is without a body");
  }

  @Test
  @NotOn(
      value = {DatabaseProduct.MYSQL, DatabaseProduct.MARIADB},
      why = "a message has its number in its own row")
  void aMissingBodyAndAMissingNumberAreFound() throws SQLException {
    TestDatabase database = Migrated.on(given);
    long[] ids = line(database, 5);
    database.execute(
        StoredRows.lose(database.product(), ids[3]),
        "delete from waybill_outbox_outgoing where last_seq = 2");

    List<Finding> findings = examined.worse(Doctor.examine(database.dataSource()));

    assertThat(findings)
        .extracting(Finding::code, Finding::severity)
        .containsOnly(tuple("head-of-line", Severity.PROBLEM));
    assertThat(findings).hasSize(2);
    assertThat(findings.get(0).what())
        .contains("partition 0 of the queue 'orders'")
        .contains("number 2 is not there");
    assertThat(findings.get(1).what()).contains("number 4 is without a body");
  }

  @Test
  void whatTheCursorHasPassedIsNotLookedFor() throws SQLException {
    TestDatabase database = Migrated.on(given);
    long[] ids = line(database, 3);
    database.execute(
        StoredRows.lose(database.product(), ids[0]),
        "update waybill_outbox_processor set processed_seq = 1");

    assertThat(examined.worse(Doctor.examine(database.dataSource()))).isEmpty();
  }

  /** Commits so many messages to a partition, each with a row of its own. */
  private static long[] line(TestDatabase database, int messages) {
    Database open = Stores.open(database.dataSource());
    MessageStore store = MessageStore.of(open);
    long partition =
        new QueueStore(open)
            .register(List.of(new QueueStore.Wanted("orders", 2, null)))
            .get(0)
            .partitionIds()
            .get(0);
    long[] ids = new long[messages];
    for (int i = 0; i < messages; i++) {
      NewMessage message =
          new NewMessage(partition, "test", null, Map.of(), new byte[100], null, null);
      ids[i] = open.transact(tx -> store.enqueue(tx, List.of(message)))[0];
      store.sequence(new long[] {partition}, 10);
    }
    return ids;
  }

  @ParameterizedTest
  @CsvSource({"3000, WARNING", "-3000, WARNING", "600, NOTE", "-600, NOTE", "0, OK"})
  void clocksThatDifferAreToldByHowMuch(long millis, Severity severity) {
    TestDatabase database = Migrated.on(given);
    Time skewed = new SkewedTime(Duration.ofMillis(millis));

    List<Finding> findings =
        Examination.of(
            database.dataSource(), SchemaOptions.defaults(), Thresholds.standard(), skewed);

    assertThat(findings)
        .filteredOn(finding -> finding.code().equals("clock-skew"))
        .singleElement()
        .satisfies(
            finding -> {
              assertThat(finding.severity()).isEqualTo(severity);
              assertThat(finding.what())
                  .contains(millis > 0 ? "behind" : millis < 0 ? "ahead" : "not more than");
            });
  }

  /** The machine's clocks, the wall's moved. */
  private record SkewedTime(Duration ahead) implements Time {
    @Override
    public Instant now() {
      return Time.system().now().plus(ahead);
    }

    @Override
    public long nanos() {
      return Time.system().nanos();
    }

    @Override
    public void await(Lock lock, Condition condition, long nanos) throws InterruptedException {
      Time.system().await(lock, condition, nanos);
    }
  }

  @Test
  void nothingIsLeftOnTheConnection() throws SQLException {
    TestDatabase database = Migrated.on(given);
    try (var pool = database.pool(1)) {
      String before = settings(pool.getConnection());
      Doctor.examine(pool);
      assertThat(settings(pool.getConnection())).isEqualTo(before);
    }
  }

  private String settings(Connection borrowed) throws SQLException {
    String query =
        switch (given.product()) {
          case POSTGRESQL ->
              "select concat(current_setting('lock_timeout'),"
                  + " current_setting('statement_timeout'), current_setting('transaction_isolation'))";
          case MYSQL -> "select concat(@@lock_wait_timeout, @@transaction_isolation)";
          case MARIADB -> "select concat(@@lock_wait_timeout, @@tx_isolation)";
          case SQLITE -> "select (select timeout from pragma_busy_timeout)";
        };
    try (Connection connection = borrowed;
        Statement statement = connection.createStatement();
        var row = statement.executeQuery(query)) {
      row.next();
      return connection.getAutoCommit() + " " + row.getString(1);
    }
  }

  @Test
  void whereNobodyAnswersItIsThrown(@TempDir Path folder) {
    String url =
        switch (given.product()) {
          case POSTGRESQL -> "jdbc:postgresql://127.0.0.1:1/none";
          case MYSQL -> "jdbc:mysql://127.0.0.1:1/none";
          case MARIADB -> "jdbc:mariadb://127.0.0.1:1/none";
          case SQLITE -> "jdbc:sqlite:" + folder.resolve("no/folder/none.db");
        };
    TestDatabase nothing = TestDatabase.existing(given.product(), url, "nobody", "");

    DatabaseException failure =
        catchThrowableOfType(DatabaseException.class, () -> Doctor.examine(nothing.dataSource()));

    assertThat(failure.kind()).isEqualTo(DatabaseException.Kind.DISCONNECTED);
  }

  private static boolean isMySql(TestDatabase database) {
    return database.product() == DatabaseProduct.MYSQL
        || database.product() == DatabaseProduct.MARIADB;
  }
}
