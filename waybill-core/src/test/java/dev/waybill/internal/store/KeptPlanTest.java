package dev.waybill.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.NotOn;
import dev.waybill.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * What a session does all the time it plans a few times, while slots are empty, and not each time
 * once they are full: a plan costs more than many a visit.
 */
@EveryDatabase(alsoOldest = true)
@NotOn(
    value = {DatabaseProduct.MYSQL, DatabaseProduct.MARIADB, DatabaseProduct.SQLITE},
    why = "they plan each time, or never")
class KeptPlanTest {
  /** The server's own rule: so many times for the parameters at hand, then it compares. */
  private static final long AT_FIRST = 5;

  private static final int VISITS = 30;

  private final TestDatabase database;
  private final Stores plain;

  KeptPlanTest(TestDatabase database) {
    this.database = database.fresh();
    this.plain = new Stores(this.database);
  }

  @Test
  void fullSlotsArePlannedForNoMoreOftenThanEmptyOnes() throws SQLException {
    List<Long> partitions = plain.queue("orders", 4);
    try (HikariDataSource one = oneConnection()) {
      Stores stores = new Stores(one);
      visits(stores, partitions);
      plain.database.transact(
          tx -> {
            for (int i = 0; i < 5_000; i++) {
              long partition = partitions.get(i % 4);
              plain.messages.enqueue(tx, List.of(Stores.message(partition, "x".repeat(800))));
            }
            return tx;
          });
      // As each turn of a slot does, and autovacuum: the server throws kept plans away.
      try (Connection connection = database.connect();
          Statement statement = connection.createStatement()) {
        statement.execute("analyze waybill_outbox_partitions, waybill_outbox_processor");
      }
      visits(stores, partitions);
      assertThat(plans(one))
          .hasSize(4)
          .allSatisfy((statement, custom) -> assertThat(custom).isLessThanOrEqualTo(AT_FIRST));
    }
  }

  private HikariDataSource oneConnection() {
    HikariConfig config = new HikariConfig();
    config.setDataSource(database.dataSource());
    config.setMaximumPoolSize(1);
    return new HikariDataSource(config);
  }

  private void visits(Stores stores, List<Long> partitions) {
    long[] numbers = partitions.stream().mapToLong(Long::longValue).toArray();
    long partition = numbers[0];
    for (int i = 0; i < VISITS; i++) {
      plain.enqueue(partition, "a");
      stores.messages.sequence(numbers, 50);
      stores.database.transact(tx -> stores.messages.lock(tx, partition, 50));
      Delivery taken = stores.messages.lease(partition, "me", Stores.MINUTE, 50).orElseThrow();
      Lease lease = new Lease(partition, "me", taken.epoch(), Stores.MINUTE);
      long done = taken.messages().get(taken.messages().size() - 1).seq();
      stores.messages.next(lease, done, 50);
      stores.messages.releaseAll("me");
    }
  }

  /** How often each of the statements with the largest plans was planned for its parameters. */
  private static Map<String, Long> plans(HikariDataSource one) throws SQLException {
    Map<String, Long> plans = new TreeMap<>();
    try (Connection connection = one.getConnection();
        Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "select statement, custom_plans, generic_plans from pg_prepared_statements"
                    + " where statement like '%generate_series%'")) {
      while (rows.next()) {
        plans.merge(rows.getString(1), rows.getLong(2), Math::max);
        assertThat(rows.getLong(3)).isGreaterThan(VISITS);
      }
    }
    return plans;
  }
}
