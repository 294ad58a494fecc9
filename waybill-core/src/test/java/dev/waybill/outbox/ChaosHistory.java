package dev.waybill.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.outbox.HistoryChecker.Effect;
import dev.waybill.outbox.HistoryChecker.Leased;
import dev.waybill.schema.Schema;
import dev.waybill.testkit.ChildJvm;
import dev.waybill.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** What {@link ChaosWorker}s left behind: in their database, and in what they said. */
final class ChaosHistory {
  private ChaosHistory() {}

  /** Waits until the processes have got on by some messages. */
  static void work(TestDatabase database) throws SQLException {
    long before = processed(database);
    Service.await(() -> processed(database) >= before + 30);
  }

  private static long processed(TestDatabase database) throws SQLException {
    return Long.parseLong(
        rows(
                database,
                "select sum(processed_seq) from waybill_outbox_processor",
                r -> r.getString(1))
            .get(0));
  }

  static TestDatabase prepared(TestDatabase database) throws SQLException {
    Schema.migrate(database.dataSource());
    database.execute(
        "create table business (queue varchar(20) not null, note varchar(40) not null)",
        "create table effects (part int not null, seq bigint not null, note varchar(40) not null,"
            + " message_key varchar(40))");
    return database;
  }

  static void drain(TestDatabase database) throws SQLException {
    Service.await(
        () ->
            rows(database, "select id from waybill_outbox_incoming", r -> "").isEmpty()
                && rows(
                        database,
                        "select p.id from waybill_outbox_partitions p join waybill_outbox_processor"
                            + " c on c.partition_id = p.id where p.sequence > c.processed_seq or c.parked > 0",
                        r -> "")
                    .isEmpty());
  }

  static void check(TestDatabase database, List<ChildJvm> children) throws SQLException {
    List<Leased> history = new ArrayList<>();
    for (ChildJvm child : children) {
      for (String line : child.lines()) {
        String[] parts = line.split(" ", -1);
        if (parts[0].equals("leased") && parts.length == 5) {
          history.add(
              new Leased(
                  Integer.parseInt(parts[1]),
                  Long.parseLong(parts[2]),
                  Long.parseLong(parts[3]),
                  parts[4]));
        }
      }
    }
    List<Effect> effects =
        rows(
            database,
            "select part, seq, note from effects",
            r -> new Effect(r.getInt(1), r.getLong(2), r.getString(3)));
    HistoryChecker checker = new HistoryChecker();
    checker.leased(committed(database, "parcels"), last(database, "parcels"), history);
    checker.transactional(committed(database, "ledger"), last(database, "ledger"), effects);
    long redelivered = history.size() - history.stream().map(Leased::note).distinct().count();
    System.out.println(
        database.label()
            + ": "
            + history.size()
            + " leased deliveries, "
            + redelivered
            + " of them repeated, "
            + effects.size()
            + " effects");
    assertThat(checker.violations()).isEmpty();
    assertThat(children.stream().flatMap(child -> child.lines().stream()))
        .noneMatch(line -> line.startsWith("disorder"));
    assertThat(history).hasSizeGreaterThan(50);
    assertThat(effects).hasSizeGreaterThan(50);
  }

  private static Set<String> committed(TestDatabase database, String queue) throws SQLException {
    return new HashSet<>(
        rows(
            database,
            "select note from business where queue = '" + queue + "'",
            r -> r.getString(1)));
  }

  private static Map<Integer, Long> last(TestDatabase database, String queue) throws SQLException {
    Map<Integer, Long> last = new TreeMap<>();
    rows(
        database,
        "select p.number, p.sequence from waybill_outbox_partitions p join waybill_outbox_queues q"
            + " on q.id = p.queue_id where q.name = '"
            + queue
            + "'",
        r -> last.put(r.getInt(1), r.getLong(2)));
    return last;
  }

  private interface Reader<T> {
    T read(ResultSet row) throws SQLException;
  }

  private static <T> List<T> rows(TestDatabase database, String sql, Reader<T> reader)
      throws SQLException {
    List<T> rows = new ArrayList<>();
    try (Connection connection = database.connect();
        var statement = connection.createStatement();
        var result = statement.executeQuery(sql)) {
      while (result.next()) {
        rows.add(reader.read(result));
      }
    }
    return rows;
  }
}
