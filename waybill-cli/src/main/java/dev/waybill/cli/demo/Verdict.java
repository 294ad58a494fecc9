package dev.waybill.cli.demo;

import dev.waybill.cli.demo.Shipments.Shipment;
import dev.waybill.cli.demo.Shop.Order;
import dev.waybill.outbox.DeadLetter;
import dev.waybill.workflow.WorkflowInfo;
import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
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
public record Verdict(
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

  /**
   * Compares.
   *
   * @param reached how far the shipping of each partition was before the demo began
   */
  static Verdict of(
      DataSource dataSource, Settings settings, Manager manager, Map<Integer, Long> reached)
      throws SQLException, IOException {
    Set<String> orders = new HashSet<>();
    String ours = " where order_id like '" + settings.run() + "-%'";
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
      ledger = number(statement, "select count(*) from demo_ledger" + ours);
      differentInLedger =
          number(statement, "select count(distinct order_id) from demo_ledger" + ours);
      mailsWanted = number(statement, "select count(*) from demo_orders where mail = 1");
      mails = number(statement, "select count(*) from demo_mails" + ours);
      differentMails = number(statement, "select count(distinct order_id) from demo_mails" + ours);
    }
    Set<String> givenUp = new HashSet<>();
    Map<Integer, Set<Long>> skipped = new HashMap<>();
    for (DeadLetter letter : manager.givenUp()) {
      givenUp.add(Order.parse(letter.message().text()).id());
      skipped
          .computeIfAbsent(letter.message().partition(), partition -> new HashSet<>())
          .add(letter.message().seq());
    }
    List<Shipment> shipments = Shipments.read(settings.shipments());
    List<String> shippedOfOurs =
        shipments.stream().map(Shipment::order).filter(settings::isOurs).toList();
    Set<String> shipped = new HashSet<>(shippedOfOurs);
    List<WorkflowInfo> runs = manager.runs();
    return new Verdict(
        orders.size(),
        shipped.size(),
        givenUp.stream().filter(settings::isOurs).count(),
        shippedOfOurs.size() - shipped.size(),
        shippedOfOurs.stream().filter(order -> !orders.contains(order)).count(),
        disorder(shipments, skipped, reached),
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
  private static long disorder(
      List<Shipment> shipments, Map<Integer, Set<Long>> givenUp, Map<Integer, Long> before) {
    Map<Integer, Long> reached = new HashMap<>(before);
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

  /** Whether everything arrived, and nothing that should not. */
  public boolean isRight() {
    return isComplete()
        && ghosts == 0
        && disorder == 0
        && ledgerTwice == 0
        && mailsTwice == 0
        && orders > 0;
  }

  /** For programs. */
  public Map<String, Object> document() {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("right", isRight());
    document.put("orders", orders);
    document.put("shipped", shipped);
    document.put("dead_letters", deadLetters);
    document.put("shipped_again", repeated);
    document.put("rolled_back_shipped", ghosts);
    document.put("order_violations", disorder);
    document.put("ledger", ledger);
    document.put("ledger_duplicates", ledgerTwice);
    document.put("confirmations_wanted", mailsWanted);
    document.put("confirmations", mails);
    document.put("confirmation_duplicates", mailsTwice);
    document.put("workflows", runs);
    document.put("workflows_ended", runsDone);
    return document;
  }
}
