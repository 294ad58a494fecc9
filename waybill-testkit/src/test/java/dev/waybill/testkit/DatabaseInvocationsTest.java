package dev.waybill.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.testkit.engine.EventConditions.abortedWithReason;
import static org.junit.platform.testkit.engine.EventConditions.displayName;
import static org.junit.platform.testkit.engine.EventConditions.event;
import static org.junit.platform.testkit.engine.EventConditions.finishedWithFailure;
import static org.junit.platform.testkit.engine.EventConditions.skippedWithReason;
import static org.junit.platform.testkit.engine.EventConditions.test;
import static org.junit.platform.testkit.engine.TestExecutionResultConditions.message;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
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

  @Test
  void runsTheClassOncePerDatabase() {
    EngineExecutionResults results = run(Sample.class);
    assertThat(invocations(results))
        .containsExactly("PostgreSQL 18", "MariaDB 11.4", "MySQL 8.0", "SQLite 3");
    results
        .testEvents()
        .assertStatistics(counts -> counts.succeeded(7).skipped(1).failed(0).aborted(0));
  }

  @Test
  void exceptsACaseAndSaysWhy() {
    run(Sample.class)
        .testEvents()
        .skipped()
        .assertEventsMatchExactly(
            event(test("notOnSqlite"), skippedWithReason("not on SQLite 3: one writer")));
  }

  @Test
  void exceptsAClassWithoutStartingAServerForIt() {
    EngineExecutionResults results = run(OnlyOnSqlite.class);
    results
        .containerEvents()
        .aborted()
        .assertEventsMatchExactly(
            abortedOn("PostgreSQL 18"), abortedOn("MariaDB 11.4"), abortedOn("MySQL 8.0"));
    results.testEvents().assertStatistics(counts -> counts.succeeded(1));
  }

  @Test
  void addsTheOldestWhereAsked() {
    assertThat(invocations(run(AlsoOldest.class)))
        .containsExactly("PostgreSQL 18", "PostgreSQL 14", "MariaDB 11.4", "MySQL 8.0", "SQLite 3");
  }

  @Test
  void leavesOutWhatTheUserDoesNotWant() {
    assertThat(invocations(with(LeftOut.PROPERTY, "mysql,mariadb", Sample.class)))
        .containsExactly("PostgreSQL 18", "SQLite 3");
  }

  @Test
  void leavesOutAllEditionsOfAProduct() {
    assertThat(invocations(with(LeftOut.PROPERTY, "postgresql", AlsoOldest.class)))
        .containsExactly("MariaDB 11.4", "MySQL 8.0", "SQLite 3");
  }

  @Test
  void runsEachCaseOnOneDatabaseWhereAsked() {
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
  static class AlsoOldest {

    @Test
    void everywhere() {}
  }
}
