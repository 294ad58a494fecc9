package dev.waybill.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.testkit.engine.EventConditions.abortedWithReason;
import static org.junit.platform.testkit.engine.EventConditions.displayName;
import static org.junit.platform.testkit.engine.EventConditions.event;
import static org.junit.platform.testkit.engine.EventConditions.finishedWithFailure;
import static org.junit.platform.testkit.engine.EventConditions.skippedWithReason;
import static org.junit.platform.testkit.engine.EventConditions.test;
import static org.junit.platform.testkit.engine.TestExecutionResultConditions.message;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.assertj.core.api.Condition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.platform.testkit.engine.EngineExecutionResults;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Event;

@ResourceLock(Resources.SYSTEM_PROPERTIES)
class DatabaseInvocationsTest {

  private static final String POSTGRES =
      named(Edition.POSTGRESQL, "PostgreSQL 18", "PostgreSQL at WAYBILL_TEST_POSTGRES_URL");
  private static final String MARIADB =
      named(Edition.MARIADB, "MariaDB 11.4", "MariaDB at WAYBILL_TEST_MARIADB_URL");
  private static final String MYSQL =
      named(Edition.MYSQL, "MySQL 8.0", "MySQL at WAYBILL_TEST_MYSQL_URL");
  private static final String SQLITE = "SQLite 3";
  private static final String NOTHING = "";

  private static String named(Edition edition, String ours, String users) {
    return edition.isUsers() ? users : ours;
  }

  @Test
  void runsTheClassOncePerDatabase() {
    EngineExecutionResults results = run(Sample.class);
    List<String> wanted = new ArrayList<>(List.of(POSTGRES, MARIADB, MYSQL, SQLITE));
    wanted.removeAll(leftOutByTheUser());
    int excepted = wanted.contains(SQLITE) ? 1 : 0;
    assertThat(invocations(results)).isEqualTo(wanted);
    results
        .testEvents()
        .assertStatistics(
            counts ->
                counts
                    .succeeded(2 * wanted.size() - excepted)
                    .skipped(excepted)
                    .failed(0)
                    .aborted(0));
  }

  private static List<String> leftOutByTheUser() {
    LeftOut leftOut = LeftOut.fromSystemProperty();
    return Stream.of(Edition.values()).filter(leftOut::contains).map(Edition::label).toList();
  }

  @Test
  void exceptsACaseAndSaysWhy() {
    with(LeftOut.PROPERTY, "postgresql,mariadb,mysql", Sample.class)
        .testEvents()
        .skipped()
        .assertEventsMatchExactly(
            event(test("notOnSqlite"), skippedWithReason("not on SQLite 3: one writer")));
  }

  @Test
  void exceptsAClassWithoutStartingAServerForIt() {
    EngineExecutionResults results = with(LeftOut.PROPERTY, NOTHING, OnlyOnSqlite.class);
    results
        .containerEvents()
        .aborted()
        .assertEventsMatchExactly(abortedOn(POSTGRES), abortedOn(MARIADB), abortedOn(MYSQL));
    results.testEvents().assertStatistics(counts -> counts.succeeded(1));
  }

  @Test
  void addsTheOldestWhereAsked() {
    assertThat(invocations(with(LeftOut.PROPERTY, NOTHING, Nowhere.class)))
        .containsExactly(POSTGRES, "PostgreSQL 14", MARIADB, MYSQL, SQLITE);
  }

  @Test
  void leavesOutWhatTheUserDoesNotWant() {
    assertThat(invocations(with(LeftOut.PROPERTY, "mysql,mariadb", Nowhere.class)))
        .containsExactly(POSTGRES, "PostgreSQL 14", SQLITE);
  }

  @Test
  void leavesOutAllEditionsOfAProduct() {
    assertThat(invocations(with(LeftOut.PROPERTY, "postgresql", Nowhere.class)))
        .containsExactly(MARIADB, MYSQL, SQLITE);
  }

  @Test
  void runsEachCaseOnOneDatabaseWhereAsked() {
    assumeTrue(leftOutByTheUser().isEmpty(), "the cases are enough only for all databases to meet");
    EngineExecutionResults results = with(Turn.PROPERTY, "true", InTurn.class);
    results.testEvents().assertStatistics(counts -> counts.succeeded(9).skipped(15).failed(0));
    assertThat(results.testEvents().skipped().list())
        .as("not counted as left out")
        .filteredOn(each -> Turn.isElsewhere(each.getPayload(String.class).orElseThrow()))
        .hasSize(12);
    assertThat(InTurn.met).as("every database").hasSize(4);
    with(Turn.PROPERTY, "true", OnlyOnSqlite.class)
        .testEvents()
        .assertStatistics(counts -> counts.succeeded(1));
  }

  @Test
  void failsOnADatabaseThatCannotBeHad() {
    assumeFalse(leftOutByTheUser().contains("PostgreSQL 14"), "PostgreSQL 14 is left out");
    with(Edition.OLDEST_JAR_PROPERTY, "/nowhere.jar", AlsoOldest.class)
        .containerEvents()
        .failed()
        .assertEventsMatchExactly(
            event(
                displayName("PostgreSQL 14"),
                finishedWithFailure(
                    message(
                        text ->
                            text.contains("PostgreSQL 14 cannot start")
                                && text.contains("/nowhere.jar")
                                && text.contains("./waybill test --without postgresql-14")))));
  }

  private static Condition<Event> abortedOn(String label) {
    return event(
        displayName(label),
        abortedWithReason(message(text -> text.contains("not on " + label + ": files"))));
  }

  private static EngineExecutionResults run(Class<?> sample) {
    return EngineTestKit.engine("junit-jupiter").selectors(selectClass(sample)).execute();
  }

  private static EngineExecutionResults with(String property, String value, Class<?> sample) {
    String before = System.getProperty(property, "");
    System.setProperty(property, value);
    try {
      return run(sample);
    } finally {
      System.setProperty(property, before);
    }
  }

  private static List<String> invocations(EngineExecutionResults results) {
    return results
        .containerEvents()
        .started()
        .map(event -> event.getTestDescriptor())
        .filter(
            each ->
                each.getUniqueId().getLastSegment().getType().equals("class-template-invocation"))
        .map(each -> each.getDisplayName())
        .toList();
  }

  @EveryDatabase
  static class Sample {

    @Test
    void everywhere(TestDatabase database) throws Exception {
      database.execute("create table sample (id int)");
    }

    @Test
    @NotOn(value = DatabaseProduct.SQLITE, why = "one writer")
    void notOnSqlite() {}
  }

  @EveryDatabase
  static class InTurn {
    private static final Set<DatabaseProduct> met = ConcurrentHashMap.newKeySet();

    private final TestDatabase database;

    InTurn(TestDatabase database) {
      this.database = database;
    }

    @Test
    void a() {
      met.add(database.product());
    }

    @Test
    void b() {
      met.add(database.product());
    }

    @Test
    void c() {
      met.add(database.product());
    }

    @Test
    void d() {
      met.add(database.product());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4})
    void e(int n) {
      met.add(database.product());
    }

    @Test
    @NotOn(
        value = {DatabaseProduct.MARIADB, DatabaseProduct.MYSQL, DatabaseProduct.SQLITE},
        why = "one applies")
    void f() {
      assertThat(database.product()).isEqualTo(DatabaseProduct.POSTGRESQL);
    }
  }

  @EveryDatabase
  @NotOn(
      value = {DatabaseProduct.POSTGRESQL, DatabaseProduct.MARIADB, DatabaseProduct.MYSQL},
      why = "files")
  static class OnlyOnSqlite {

    @Test
    void once() {}
  }

  @EveryDatabase(alsoOldest = true)
  @NotOn(
      value = {
        DatabaseProduct.POSTGRESQL,
        DatabaseProduct.MARIADB,
        DatabaseProduct.MYSQL,
        DatabaseProduct.SQLITE
      },
      why = "to start no server")
  static class Nowhere {

    @Test
    void never() {}
  }

  @EveryDatabase(alsoOldest = true)
  static class AlsoOldest {

    @Test
    void everywhere() {}
  }
}
