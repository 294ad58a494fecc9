package dev.waybill.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.outbox.DeadLetterFilter;
import dev.waybill.outbox.DeadLetterFilter.Position;
import dev.waybill.outbox.DeadLetterStatus;
import dev.waybill.outbox.Graveyard;
import dev.waybill.schema.Schema;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.FaultyDataSource;
import dev.waybill.testkit.Operation;
import dev.waybill.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What the database does for the statements that were really sent, with 50,000 dead letters. */
@Tag("once")
@EveryDatabase
class DeadLetterPlansTest {
  private static final String TABLE = "waybill_outbox_dead_letters";
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final DeadLetterFilter ALL = DeadLetterFilter.defaults();
  private static final Set<DeadLetterStatus> PENDING = Set.of(DeadLetterStatus.PENDING);

  private final TestDatabase database;
  private final FaultyDataSource watched;
  private final DeadLetterStore store;

  DeadLetterPlansTest(TestDatabase database) throws SQLException {
    this.database = database.fresh();
    watched = new FaultyDataSource(this.database.dataSource());
    Schema.migrate(watched);
    var stores = new Stores(watched);
    stores.queue("large", 4);
    stores.queue("small", 1);
    store = new DeadLetterStore(stores.database, stores.messages);
    fill();
  }

  private void fill() throws SQLException {
    var graveyard = new Graveyard(database);
    for (int partition = 0; partition < 4; partition++) {
      graveyard.bury("large", partition, 12_495);
    }
    graveyard.bury("small", 0, 20);
    database.execute(
        "update " + TABLE + " set status = 'resolved', completed_at = failed_at where seq > 5000",
        "update "
            + TABLE
            + " set status = 'reprocessing', claim = 'x', deadline = failed_at where seq between"
            + " 4500 and 4700");
    switch (database.product()) {
      case POSTGRESQL -> database.execute("analyze " + TABLE);
      case MYSQL, MARIADB -> database.execute("analyze table " + TABLE);
      case SQLITE -> {}
    }
  }

  /** One test: filling the table is most of the work. */
  @Test
  void indexesServeEveryStatement() throws SQLException {
    theOrderComesFromTheIndex();
    fewAmongManyAreFoundByAnIndex();
    if (database.product() != DatabaseProduct.POSTGRESQL) { // It locks what is left after sorting.
      aClaimInALargeQueueLocksNoMoreThanItTakes();
    }
  }

  private void theOrderComesFromTheIndex() throws SQLException {
    var last = new Position(Graveyard.FIRST.plusSeconds(1_000), 1_000);
    var nextPage = new DeadLetterFilter(null, null, null, Set.of(), null, null, null, last, null);
    long micros = ChronoUnit.MICROS.between(Instant.EPOCH, last.failedAt());

    inOrder("list_ix", plan(() -> store.list(ALL, PENDING), "pending", 100));
    inOrder(
        "list_ix",
        plan(() -> store.list(nextPage, PENDING), "pending", micros, micros, last.id(), 100));
    inOrder("list_ix", plan(() -> store.claim(ALL, PENDING, "t", MINUTE), 100));
    inOrder("done_ix", plan(() -> store.cleanup(ALL, Set.of(), MINUTE), 60_000_000L, 100));
  }

  private void aClaimInALargeQueueLocksNoMoreThanItTakes() throws SQLException {
    Object[] values =
        database.product() == DatabaseProduct.MARIADB
            ? new Object[] {0, 63, "large", 100}
            : new Object[] {"large", 0, 63, 100};
    inOrder("list_ix", plan(() -> store.claim(ALL.queue("large"), PENDING, "t", MINUTE), values));
  }

  private void fewAmongManyAreFoundByAnIndex() throws SQLException {
    byIndex(plan(() -> store.list(ALL.queue("small"), PENDING), "pending", "small", 0, 63, 100));
    byIndex(plan(() -> store.list(ALL.ids(List.of(5L, 7L)), PENDING), "pending", 5L, 7L, 100));
    byIndex(plan(() -> store.claim(ALL, Set.of(DeadLetterStatus.REPROCESSING), "t", MINUTE), 100));
  }

  private static void inOrder(String index, List<String> plan) {
    byIndex(plan);
    assertThat(plan)
        .anyMatch(line -> line.contains("dead_letters_" + index))
        .noneMatch(line -> line.contains("Sort"))
        .noneMatch(line -> line.contains("filesort"))
        .noneMatch(line -> line.contains("TEMP B-TREE"));
  }

  private static void byIndex(List<String> plan) {
    assertThat(plan)
        .noneMatch(line -> line.contains("Seq Scan on " + TABLE))
        .noneMatch(line -> line.contains("| d |") && line.contains("| ALL |"))
        .noneMatch(line -> line.contains("SCAN d"));
  }

  /** The plan of what the call asked first, with the values it asked with. */
  private List<String> plan(Runnable call, Object... values) throws SQLException {
    watched.reset();
    call.run();
    String sql =
        watched.trace().stream()
            .map(Operation::sql)
            .filter(text -> text.startsWith("select") && text.contains("dead_letters"))
            .findFirst()
            .orElseThrow();
    return explain(sql, values);
  }

  private List<String> explain(String sql, Object... values) throws SQLException {
    String explain =
        database.product() == DatabaseProduct.SQLITE ? "explain query plan " : "explain ";
    List<String> lines = new ArrayList<>();
    try (Connection connection = database.connect();
        var statement = connection.prepareStatement(explain + sql)) {
      for (int i = 0; i < values.length; i++) {
        statement.setObject(i + 1, values[i]);
      }
      try (var rows = statement.executeQuery()) {
        int columns = rows.getMetaData().getColumnCount();
        while (rows.next()) {
          List<String> cells = new ArrayList<>();
          for (int i = 1; i <= columns; i++) {
            cells.add(String.valueOf(rows.getString(i)));
          }
          lines.add(String.join(" | ", cells));
        }
      }
    }
    return lines;
  }
}
