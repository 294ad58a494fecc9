package dev.waybill.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.waybill.DatabaseException;
import dev.waybill.DatabaseException.Kind;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.Fault;
import dev.waybill.testkit.FaultyDataSource;
import dev.waybill.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A unit of work that others stand in the way of is repeated as a whole. */
@EveryDatabase(alsoOldest = true)
@Timeout(120)
class SessionContentionTest extends SampleTable {
  SessionContentionTest(TestDatabase database) {
    super(database);
  }

  @Test
  void theWholeUnitIsRepeatedUntilTheOtherTransactionIsGone() throws Exception {
    try (Connection other = database.connect()) {
      other.setAutoCommit(false);
      Sessions.execute(other, "update waybill_sample set v = 10 where id = 1");
      AtomicInteger runs = new AtomicInteger();
      Retry retry =
          recording(
              3,
              duration -> {
                try {
                  other.commit();
                  other.setAutoCommit(true); // else SQLite's driver begins the next one
                } catch (SQLException e) {
                  throw new IllegalStateException(e);
                }
              });
      long seen =
          open(database.dataSource(), retry)
              .transact(
                  tx -> {
                    runs.incrementAndGet();
                    long before =
                        tx.query(
                                "select v from waybill_sample where id = 1"
                                    + (dialect == Dialect.SQLITE ? "" : " for update nowait"))
                            .one(row -> row.number("v"));
                    set(tx, (int) before + 1);
                    return before;
                  });
      assertThat(seen).isEqualTo(10);
      assertThat(pauses).containsExactly(Duration.ofMillis(4));
      // SQLite's single writer is met at the beginning, before the work.
      assertThat(runs).hasValue(dialect == Dialect.SQLITE ? 1 : 2);
    }
    assertThat(value()).isEqualTo(11);
  }

  @Test
  void whatAnAttemptDidIsGoneBeforeTheNext() {
    AtomicInteger runs = new AtomicInteger();
    open(database.dataSource(), recording(5, duration -> {}))
        .transact(
            tx -> {
              assertThat(value(tx)).isZero();
              set(tx, 1);
              if (runs.incrementAndGet() < 3) {
                throw contention();
              }
              return true;
            });
    assertThat(runs).hasValue(3);
    assertThat(value()).isEqualTo(1);
  }

  @Test
  void theAttemptsAreBoundedAndThePausesGrowUpToTheirLimit() {
    AtomicInteger runs = new AtomicInteger();
    assertThatThrownBy(
            () ->
                open(database.dataSource(), recording(4, duration -> {}))
                    .transact(
                        tx -> {
                          runs.incrementAndGet();
                          throw contention();
                        }))
        .isInstanceOf(DatabaseException.class)
        .hasMessage("in the way");
    assertThat(runs).hasValue(4);
    assertThat(pauses)
        .containsExactly(Duration.ofMillis(4), Duration.ofMillis(8), Duration.ofMillis(10));
  }

  @Test
  void otherErrorsAreNotRepeated() {
    for (RuntimeException failure :
        new RuntimeException[] {
          new DatabaseException(Kind.DUPLICATE, "d", null),
          new DatabaseException(Kind.DISCONNECTED, "d", null),
          new DatabaseException(Kind.FATAL, "f", null),
          new IllegalStateException("i")
        }) {
      AtomicInteger runs = new AtomicInteger();
      assertThatThrownBy(
              () ->
                  open(database.dataSource(), recording(4, duration -> {}))
                      .transact(
                          tx -> {
                            runs.incrementAndGet();
                            throw failure;
                          }))
          .isSameAs(failure);
      assertThat(runs).hasValue(1);
    }
    assertThat(pauses).isEmpty();
  }

  @Test
  void aCommitThatFailsByContentionIsRepeated() {
    FaultyDataSource faulty = new FaultyDataSource(database.dataSource());
    Database open = open(faulty, recording(4, duration -> {}));
    onCommit(faulty).fail(Fault.Moment.BEFORE, new SQLException("certification", "40001", 1213));
    assertThat(open.<Integer>transact(tx -> set(tx, 9))).isEqualTo(1);
    assertThat(pauses).hasSize(1);
    assertThat(value()).isEqualTo(9);
  }

  @Test
  void anInterruptDuringAPauseEndsTheAttempts() {
    Retry retry =
        recording(
            7,
            duration -> {
              throw new InterruptedException("stop");
            });
    AtomicInteger runs = new AtomicInteger();
    try {
      assertThatThrownBy(
              () ->
                  open(database.dataSource(), retry)
                      .transact(
                          tx -> {
                            runs.incrementAndGet();
                            throw contention();
                          }))
          .isInstanceOf(DatabaseException.class)
          .hasMessage("in the way")
          .satisfies(
              e ->
                  assertThat(e.getSuppressed())
                      .hasExactlyElementsOfTypes(InterruptedException.class));
      assertThat(Thread.currentThread().isInterrupted()).isTrue();
      assertThat(runs).hasValue(1);
    } finally {
      Thread.interrupted();
    }
  }
}
