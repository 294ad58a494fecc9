package dev.waybill.internal.outbox;

import dev.waybill.outbox.EnqueueMessage;
import dev.waybill.outbox.HeadFailure;
import dev.waybill.outbox.LeaseConfig;
import dev.waybill.outbox.Outbox;
import dev.waybill.outbox.OutboxProfile;
import dev.waybill.outbox.Partitions;
import dev.waybill.outbox.QueueConfig;
import dev.waybill.outbox.QueueHandler;
import dev.waybill.outbox.RetryTuning;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.Fault;
import dev.waybill.testkit.Fault.Moment;
import dev.waybill.testkit.FaultyDataSource;
import dev.waybill.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Several processes on one database, driven by chance on one thread: a seed decides who does what
 * next, what fails, who dies, and when time passes. What happens during a handler is decided in the
 * handler: other processes go on, its own dies, its lease ends.
 *
 * <p>The same seed gives the same history on the same kind of database. For that, all stages run on
 * the test's thread; nothing is spread by chance but by the seed; and time is manual on both sides:
 * that of the database is made to pass by moving back all times that are stored in it. Delays are
 * odd numbers of minutes and time passes in even ones, so the seconds that the real clock moves on
 * meanwhile never decide whether something is due. Nor do they decide what is due first: whatever
 * is due in the same minute is made due in the order of the partitions.
 *
 * <p>What it does not show: races of threads within a process, and waits for locks.
 */
final class Simulation implements AutoCloseable {
  private static final List<String> QUEUES = List.of("parcels", "ledger", "accounts", "books");

  private static final int NODES = 3;
  private static final Duration PAUSE = Duration.ofMinutes(3);
  private static final LeaseConfig LEASE = new LeaseConfig(Duration.ofMinutes(7), Duration.ZERO);
  private static final OutboxProfile PROFILE =
      OutboxProfile.lowLatency().withRetry(new RetryTuning(PAUSE, PAUSE, 3));

  /** A process. */
  final class Node {
    private final String name;
    private final MortalSource connections = new MortalSource(pool);
    private final FaultyDataSource faulty = new FaultyDataSource(connections.source());
    private final Line line;

    Node(String name) {
      this.name = name;
      SimulatedHandlers handlers = new SimulatedHandlers(Simulation.this, this);
      line =
          new Line(
              faulty,
              name,
              List.of(
                  queue(
                      "parcels",
                      2,
                      new QueueHandler.BatchLeased(handlers::parcels),
                      HeadFailure.block()),
                  queue(
                      "ledger",
                      2,
                      new QueueHandler.Transactional(handlers::write),
                      HeadFailure.deadLetterAfter(4)),
                  queue(
                      "accounts",
                      1,
                      new QueueHandler.Leased(handlers::accounts),
                      HeadFailure.parkKey().withLimit(6)),
                  queue(
                      "books",
                      1,
                      new QueueHandler.Transactional(handlers::write),
                      HeadFailure.parkKey().withLimit(6).withDeadLetterAfter(4))),
              PROFILE,
              time);
    }

    boolean isDead() {
      return connections.isDead();
    }
  }

  final SimulatedHistory history;
  private final TestDatabase database;
  private final TestTime time = new TestTime();
  private final Random random;
  private final MortalSource.Pool pool;
  private final List<Node> nodes = new ArrayList<>();
  private final List<Connection> late = new ArrayList<>();
  private int born;
  private int notes;
  private int depth;
  private boolean inTransaction;
  private boolean calm;
  private final long firstPartition;
  private final long began;

  /**
   * A simulation that nothing has happened in.
   *
   * @param number its queues are called after it, so that several can use one database
   */
  Simulation(TestDatabase database, long seed, int number) {
    this.history = new SimulatedHistory(number);
    this.database = database;
    this.random = new Random(seed);
    this.pool = new MortalSource.Pool(database);
    while (nodes.size() < NODES) {
      bear();
    }
    try {
      firstPartition =
          number(
              "select min(p.id) from waybill_outbox_partitions p join waybill_outbox_queues q on"
                  + " q.id = p.queue_id where q.name = '"
                  + history.nameOf(QUEUES.get(0))
                  + "'");
      began = number("select " + clock(database.product()));
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private long number(String sql) throws SQLException {
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getLong(1);
    }
  }

  private static String clock(DatabaseProduct product) {
    return switch (product) {
      case POSTGRESQL -> "(date_part('epoch', clock_timestamp()) * 1000000)::bigint";
      case MARIADB, MYSQL -> "cast(unix_timestamp(now(6)) * 1000000 as signed)";
      case SQLITE -> "cast((julianday('now') - 2440587.5) * 86400000000 as integer)";
    };
  }

  private void bear() {
    nodes.add(new Node("node" + ++born));
  }

  private QueueConfig queue(
      String name, int partitions, QueueHandler handler, HeadFailure onFailure) {
    return new QueueConfig(
        history.nameOf(name),
        Partitions.of(partitions),
        handler,
        LEASE,
        onFailure,
        0,
        Duration.ZERO,
        Duration.ofMinutes(1),
        null);
  }

  /** Whether something happens that has this many chances in a hundred. */
  boolean chance(int percent) {
    return !calm && random.nextInt(100) < percent;
  }

  void run(int steps) throws SQLException {
    for (int i = 0; i < steps; i++) {
      step();
      history.onlyGrowing(database);
    }
  }

  /**
   * What goes on while a handler of this node is busy; false if the node did not live to see it.
   */
  boolean meanwhile(Node busy, boolean transactional) throws SQLException {
    boolean alone = transactional && database.product() == DatabaseProduct.SQLITE;
    if (!alone && depth < 2 && chance(15)) {
      boolean before = inTransaction;
      inTransaction |= transactional;
      depth++;
      history.log("in the handler of " + busy.name);
      if (!inTransaction && random.nextInt(3) == 0) {
        takeOver();
      }
      for (int i = random.nextInt(6); i >= 0; i--) {
        step();
      }
      history.log("back in the handler of " + busy.name);
      depth--;
      inTransaction = before;
    }
    return !busy.isDead();
  }

  /** The busy one's lease ends, and another process goes on. */
  private void takeOver() throws SQLException {
    pass(LEASE.duration().plusMinutes(1));
    Line heir = nodes.get(random.nextInt(nodes.size())).line;
    history.log("somebody takes over");
    heir.look();
    for (int i = 0; i < 3; i++) {
      heir.deliver();
    }
  }

  private void step() throws SQLException {
    line();
    Node node = nodes.get(random.nextInt(nodes.size()));
    int dice = random.nextInt(100);
    if (dice < 25) {
      produce(node);
    } else if (dice < 80) {
      work(node);
    } else if (dice < 89) {
      if (!inTransaction) {
        pass(Duration.ofMinutes(2L + 2L * random.nextInt(5)));
      }
    } else if (dice < 94) {
      disturb(node);
    } else if (dice < 96) {
      kill(node);
    } else if (dice < 98) {
      if (!inTransaction) {
        pause(node);
      }
    } else {
      late(node);
    }
  }

  private void work(Node node) {
    int stage = random.nextInt(10);
    history.log(node.name + (stage < 2 ? " looks" : stage < 4 ? " numbers" : " delivers"));
    switch (stage) {
      case 0, 1 -> node.line.look();
      case 2, 3 -> node.line.sequence();
      case 8 -> node.line.vacuum();
      case 9 -> node.line.promote();
      default -> node.line.deliver();
    }
  }

  /** One message per call, several of a call, or what goes with the commit. */
  private enum Shape {
    ONE_BY_ONE,
    BATCH,
    LAST
  }

  private void produce(Node node) {
    boolean rollback = chance(15);
    Shape shape = Shape.values()[random.nextInt(3)];
    int messages = 1 + random.nextInt(shape == Shape.ONE_BY_ONE ? 4 : 9);
    String what = node.name + " enqueues " + messages + " " + shape;
    history.log(what + (rollback ? ", in vain" : ""));
    try {
      produce(node.line.door(), shape, messages, rollback);
    } catch (Exception disturbed) {
      // The table says what became of it.
    }
  }

  private void produce(Outbox outbox, Shape shape, int messages, boolean rollback)
      throws Exception {
    String queue = QUEUES.get(random.nextInt(QUEUES.size()));
    String name = history.nameOf(queue);
    switch (shape) {
      case ONE_BY_ONE ->
          outbox.inTransaction(
              connection -> {
                for (int i = 0; i < messages; i++) {
                  String any = QUEUES.get(random.nextInt(QUEUES.size()));
                  outbox.enqueue(connection, history.nameOf(any), message(connection, any));
                }
                failIf(rollback);
              });
      case BATCH ->
          outbox.inTransaction(
              connection -> {
                outbox.enqueueBatch(connection, name, messages(connection, queue, messages));
                failIf(rollback);
              });
      case LAST ->
          outbox.inTransaction(
              name,
              connection -> {
                List<EnqueueMessage> all = messages(connection, queue, messages);
                failIf(rollback);
                return all;
              });
    }
  }

  private static void failIf(boolean rollback) {
    if (rollback) {
      throw new IllegalStateException("rolled back");
    }
  }

  private List<EnqueueMessage> messages(Connection connection, String queue, int count)
      throws SQLException {
    List<EnqueueMessage> messages = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      messages.add(message(connection, queue));
    }
    return messages;
  }

  /** A note is {@code producer:n}; n grows with time. */
  private EnqueueMessage message(Connection connection, String queue) throws SQLException {
    boolean delayed = chance(10);
    boolean keyed = queue.equals("accounts") || queue.equals("books");
    String key = "k" + random.nextInt(4);
    // A delayed message takes its place later, so it has no place in its producer's order.
    String note = (delayed ? "delayed" + ++notes : "p") + ":" + ++notes;
    history.enqueued(connection, queue, note);
    EnqueueMessage message = EnqueueMessage.of("test", note);
    message = keyed ? message.key(key) : message.partition(random.nextInt(2));
    return delayed ? message.delay(PAUSE) : message;
  }

  /** A producer that takes its time: others commit before it. */
  private void late(Node node) throws SQLException {
    if (database.product() == DatabaseProduct.SQLITE || node.isDead()) {
      return;
    }
    if (late.isEmpty() || chance(50)) {
      Connection connection = database.connect();
      connection.setAutoCommit(false);
      late.add(connection);
      history.log("a producer begins");
      String queue = QUEUES.get(random.nextInt(2));
      String note = "late" + ++notes + ":1";
      history.enqueued(connection, queue, note);
      node.line
          .door()
          .enqueue(
              connection,
              history.nameOf(queue),
              EnqueueMessage.of("test", note).partition(random.nextInt(2)));
    } else {
      end(late.remove(random.nextInt(late.size())), chance(70));
    }
  }

  private void end(Connection producer, boolean commit) throws SQLException {
    history.log("a producer " + (commit ? "commits late" : "rolls back"));
    try (producer) {
      if (commit) {
        producer.commit();
      } else {
        producer.rollback();
      }
    }
  }

  private void disturb(Node node) {
    Moment moment = random.nextBoolean() ? Moment.BEFORE : Moment.AFTER;
    int nth = 1 + random.nextInt(6);
    boolean commit = random.nextInt(4) == 0;
    boolean cut = random.nextBoolean();
    history.log(node.name + " will fail at " + (commit ? "commit " : "statement ") + nth);
    var injection = node.faulty.on(commit ? Fault.commit(nth) : Fault.statement(nth));
    if (cut) {
      injection.cut(moment);
    } else {
      injection.fail(moment);
    }
  }

  private void kill(Node node) throws SQLException {
    history.log(node.name + " dies");
    node.connections.die();
    nodes.remove(node);
    bear();
  }

  private void pause(Node node) {
    String queue = QUEUES.get(random.nextInt(QUEUES.size()));
    boolean pause = random.nextBoolean();
    history.log(node.name + (pause ? " pauses " : " resumes ") + queue);
    try {
      if (pause) {
        node.line.door().pause(history.nameOf(queue));
      } else {
        node.line.door().resume(history.nameOf(queue));
      }
    } catch (RuntimeException disturbed) {
      // It was told to fail.
    }
  }

  /** Lets time pass, here and in the database. */
  private void pass(Duration duration) throws SQLException {
    history.log(duration + " pass");
    time.advance(duration);
    long by = duration.toNanos() / 1_000;
    database.execute(
        "update waybill_outbox_processor set lease_until = "
            + back("lease_until", by)
            + ", not_before = "
            + back("not_before", by)
            + ", parked_due = "
            + back("parked_due", by),
        "update waybill_outbox_parked set due_at = " + back("due_at", by),
        "update waybill_outbox_delayed set due_at = due_at - " + by);
  }

  /** Puts what is due in the same minute in a line. */
  private void line() throws SQLException {
    if (!inTransaction) {
      database.execute(
          "update waybill_outbox_processor set not_before = "
              + inLine("not_before")
              + ", parked_due = "
              + inLine("parked_due")
              + ", lease_until = "
              + inLine("lease_until"),
          "update waybill_outbox_parked set due_at = " + inLine("due_at"));
    }
  }

  private String inLine(String column) {
    String div =
        switch (database.product()) {
          case POSTGRESQL, SQLITE -> "/";
          case MARIADB, MYSQL -> "div";
        };
    return String.format(
        "case when %1$s > %2$d then %2$d + ((%1$s - %2$d + 30000000) %3$s 60000000) * 60000000"
            + " + (partition_id - %4$d) * 3000000 else %1$s end",
        column, began, div, firstPartition);
  }

  private static String back(String column, long by) {
    return String.format(
        "case when %1$s > %2$s then %1$s - %2$s when %1$s is null then null else 0 end",
        column, by);
  }

  /** Nothing goes wrong any more; all that was committed comes to its end. */
  void finish() throws SQLException {
    calm = true;
    history.log("calm");
    while (!late.isEmpty()) {
      end(late.remove(0), true);
    }
    for (Node node : nodes) {
      node.faulty.reset();
    }
    QUEUES.forEach(queue -> nodes.get(0).line.door().resume(history.nameOf(queue)));
    for (int round = 0; !nodes.get(0).line.isDone(); round++) {
      if (round == 300) {
        throw new AssertionError("It does not come to its end");
      }
      line();
      nodes.get(round % NODES).line.pass();
      pass(Duration.ofMinutes(4));
    }
  }

  @Override
  public void close() throws SQLException {
    for (Connection each : late) {
      each.close();
    }
    for (Node node : nodes) {
      node.connections.die();
    }
    pool.close();
  }
}
