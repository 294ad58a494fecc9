package dev.waybill.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.waybill.DatabaseException;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.Fault;
import dev.waybill.testkit.FaultyDataSource;
import dev.waybill.testkit.Operation;
import dev.waybill.testkit.TestDatabase;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

@EveryDatabase
class ShelfTest {
  private static final Set<DatabaseProduct> MODE_COSTS =
      Set.of(DatabaseProduct.MYSQL, DatabaseProduct.MARIADB);

  private final AtomicLong now = new AtomicLong();
  private final AtomicInteger rung = new AtomicInteger();
  private final Shelf shelf = new Shelf(2, now::get, rung::incrementAndGet);
  private final TestDatabase test;
  private final Database database;

  ShelfTest(TestDatabase test) {
    this.test = test;
    this.database =
        Database.open(test.dataSource(), Naming.standard(), List.of(), Retry.never())
            .keeping(shelf);
  }

  @AfterEach
  void close() {
    shelf.close();
  }

  private static Connection connection(Session session) {
    return session.transact(Tx::connection);
  }

  @Test
  void aSessionThatWasClosedIsUsedAgain() {
    Connection first;
    try (Session session = database.session()) {
      first = connection(session);
    }
    try (Session session = database.session()) {
      assertThat(connection(session)).isSameAs(first);
    }
    assertThat(rung).hasValue(2);
  }

  /** Work that needs a transaction, and work that needs none, as often as it takes to tell. */
  @Test
  void whatStandsApartGoesFirstToWhoWantsThatAndElseToAnybody() {
    Session first = database.session();
    Session second = database.session();
    for (int i = 0; i < 2; i++) {
      first.apart(true, tx -> tx.query("select 1 as n").one(row -> row.number("n")));
    }
    boolean apart = MODE_COSTS.contains(test.product());
    assertThat(first.standsApart()).isEqualTo(apart);
    first.close();
    second.close();
    assertThat(shelf.take(true)).containsSame(apart ? first : second);
    assertThat(shelf.take(true)).containsSame(apart ? second : first);
    assertThat(shelf.take(true)).isEmpty();
    first.close();
    second.close();
    assertThat(shelf.take(false)).containsSame(second);
    assertThat(shelf.take(false)).containsSame(first);
    first.giveUp();
    second.giveUp();
  }

  /** Whoever needs a transaction in between has another one. */
  @Test
  void workThatComesAgainFindsASessionOfItsOwnIfThereAreTwo() {
    boolean apart = MODE_COSTS.contains(test.product());
    Session first = database.session();
    Session second = database.session();
    first.close();
    second.close();
    for (int i = 0; i < 3; i++) {
      database.apart(true, tx -> tx.query("select 1 as n").one(row -> row.number("n")));
      assertThat(second.standsApart()).isEqualTo(apart);
      assertThat(isTakenForATransaction(first)).isEqualTo(apart);
    }
    database.apart(false, tx -> tx.query("select 1 as n").one(row -> row.number("n")));
    assertThat(second.standsApart()).isEqualTo(apart);
    assertThat(first.standsApart()).isFalse();
  }

  private boolean isTakenForATransaction(Session expected) {
    try (Session session = database.session()) {
      session.transact(tx -> 0);
      return session == expected;
    }
  }

  @Test
  void oneConnectionIsEnoughForAllKindsOfWork() {
    var counted = new FaultyDataSource(test.dataSource());
    Database one =
        Database.open(counted, Naming.standard(), List.of(), Retry.never()).keeping(shelf);
    counted.reset();
    for (int i = 0; i < 3; i++) {
      for (int j = 0; j < 3; j++) {
        one.apart(true, tx -> tx.query("select 1 as n").one(row -> row.number("n")));
      }
      one.transact(tx -> tx.query("select 1 as n").one(row -> row.number("n")));
      one.single(tx -> tx.query("select 1 as n").one(row -> row.number("n")));
    }
    assertThat(counted.trace())
        .filteredOn(call -> call.kind() == Operation.Kind.CONNECT)
        .hasSize(1);
  }

  @Test
  void noMoreAreKeptThanThereIsRoomFor() throws Exception {
    List<Session> sessions = new ArrayList<>();
    List<Connection> connections = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      Session session = database.session();
      sessions.add(session);
      connections.add(connection(session));
    }
    sessions.forEach(Session::close);
    assertThat(connections.get(1).isClosed()).isFalse();
    assertThat(connections.get(2).isClosed()).isTrue();
  }

  @Test
  void whatNobodyUsedForAWhileIsGivenBack() throws Exception {
    Connection connection;
    try (Session session = database.session()) {
      connection = connection(session);
    }
    now.addAndGet(Duration.ofMillis(499).toNanos());
    assertThat(shelf.sweep(Duration.ofMillis(500))).isTrue();
    assertThat(connection.isClosed()).isFalse();
    now.addAndGet(Duration.ofMillis(1).toNanos());
    assertThat(shelf.sweep(Duration.ofMillis(500))).isFalse();
    assertThat(connection.isClosed()).isTrue();
  }

  @Test
  void aClosedShelfKeepsNothing() throws Exception {
    shelf.close();
    Connection connection;
    try (Session session = database.session()) {
      connection = connection(session);
    }
    assertThat(connection.isClosed()).isTrue();
  }

  @Test
  void aConnectionThatBrokeIsNotKept() {
    var faulty = new FaultyDataSource(test.dataSource());
    Database fragile =
        Database.open(faulty, Naming.standard(), List.of(), Retry.never()).keeping(shelf);
    faulty.on(Fault.sql("select 1"::equals)).cut(Fault.Moment.BEFORE);
    assertThatThrownBy(() -> fragile.single(tx -> tx.query("select 1").list(row -> row)))
        .isInstanceOf(DatabaseException.class);
    assertThat(shelf.take(false)).isEmpty();
  }
}
