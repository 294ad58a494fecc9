package dev.waybill.cli.demo;

import dev.waybill.cli.demo.Shipments.Shipment;
import dev.waybill.workflow.WorkflowInfo;
import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.sql.DataSource;

/**
 * What was committed, compared with what arrived.
 *
 * @param orders committed
 * @param shipped different orders that were shipped
 * @param deadLetters orders that were given up
 * @param repeated shipments of an order that was shipped before: at least once allows them
 * @param ghosts shipments of orders that were never committed
 * @param disorder messages that were shipped before one that comes before them
 * @param ledger entries
 * @param ledgerTwice entries of an order that has one already
 * @param mailsWanted orders whose customers asked for a confirmation
 * @param mails confirmations
 * @param mailsTwice confirmations of an order that has one already
 * @param runs of the restocking workflow
 * @param runsDone those that have ended
 */
record Verdict(
    long orders,
    long shipped,
    long deadLetters,
    long repeated,
    long ghosts,
    long disorder,
    long ledger,
    long ledgerTwice,
    long mailsWanted,
    long mails,
    long mailsTwice,
    long runs,
    long runsDone) {

  static Verdict of(DataSource dataSource, Settings settings, List<WorkflowInfo> runs)
      throws SQLException, IOException {
    Set<String> orders = new HashSet<>();
    Map<Integer, Set<Long>> givenUp = new HashMap<>();
    long ledger;
    long differentInLedger;
    long mailsWanted;
    long mails;
    long differentMails;
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      try (ResultSet rows = statement.executeQuery("select id from demo_orders")) {
        while (rows.next()) {
          orders.add(rows.getString(1));
        }
      }
      try (ResultSet rows =
          statement.executeQuery(
              "select p.number, d.seq from waybill_outbox_dead_letters d"
                  + " join waybill_outbox_partitions p on p.id = d.partition_id"
                  + " join waybill_outbox_queues q on q.id = p.queue_id where q.name = 'shipping'")) {
        while (rows.next()) {
          givenUp.computeIfAbsent(rows.getInt(1), p -> new HashSet<>()).add(rows.getLong(2));
        }
      }
      ledger = number(statement, "select count(*) from demo_ledger");
      differentInLedger = number(statement, "select count(distinct order_id) from demo_ledger");
      mailsWanted = number(statement, "select count(*) from demo_orders where mail = 1");
      mails = number(statement, "select count(*) from demo_mails");
      differentMails = number(statement, "select count(distinct order_id) from demo_mails");
    }
    List<Shipment> shipments = Shipments.read(settings.shipments());
    Set<String> shipped = new HashSet<>();
    long ghosts = 0;
    for (Shipment shipment : shipments) {
      shipped.add(shipment.order());
      ghosts += orders.contains(shipment.order()) ? 0 : 1;
    }
    return new Verdict(
        orders.size(),
        shipped.size(),
        givenUp.values().stream().mapToLong(Set::size).sum(),
        shipments.size() - shipped.size(),
        ghosts,
        disorder(shipments, givenUp),
        ledger,
        ledger - differentInLedger,
        mailsWanted,
        mails,
        mails - differentMails,
        runs.size(),
        runs.stream().filter(run -> run.status().isTerminal()).count());
  }

  private static long number(Statement statement, String sql) throws SQLException {
    try (ResultSet rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getLong(1);
    }
  }

  /** The first time that a number is shipped, all smaller ones were, or were given up. */
  private static long disorder(List<Shipment> shipments, Map<Integer, Set<Long>> givenUp) {
    Map<Integer, Long> reached = new HashMap<>();
    long disorder = 0;
    for (Shipment shipment : shipments) {
      long last = reached.getOrDefault(shipment.partition(), 0L);
      Set<Long> skipped = givenUp.getOrDefault(shipment.partition(), Set.of());
      while (skipped.contains(last + 1)) {
        last++;
      }
      if (shipment.seq() == last + 1) {
        last++;
      } else if (shipment.seq() > last) {
        disorder++;
        last = shipment.seq();
      }
      reached.put(shipment.partition(), last);
    }
    return disorder;
  }

  boolean isComplete() {
    return shipped + deadLetters == orders
        && ledger - ledgerTwice == orders
        && mails - mailsTwice == mailsWanted
        && runsDone == runs;
  }

  boolean isRight() {
    return isComplete()
        && ghosts == 0
        && disorder == 0
        && ledgerTwice == 0
        && mailsTwice == 0
        && orders > 0;
  }
}
