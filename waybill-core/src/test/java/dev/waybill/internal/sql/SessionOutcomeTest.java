package dev.waybill.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.waybill.DatabaseException;
import dev.waybill.DatabaseException.Kind;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.Fault;
import dev.waybill.testkit.FaultyDataSource;
import dev.waybill.testkit.Injection;
import dev.waybill.testkit.TestDatabase;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A unit of work is committed once or leaves nothing. */
@EveryDatabase(alsoOldest = true)
@Timeout(120)
class SessionOutcomeTest extends SampleTable {
  SessionOutcomeTest(TestDatabase database) {
    super(database);
  }

  @Test
  void oneSessionRunsManyTransactions() {
    try (Session session = open(database.dataSource()).session()) {
      for (int i = 1; i <= 3; i++) {
        int value = i;
        session.transact(tx -> set(tx, value));
        assertThatThrownBy(
                () ->
                    session.transact(
                        tx -> {
                          set(tx, -1);
                          throw new IllegalArgumentException("no");
                        }))
            .hasMessage("no")
            .hasNoSuppressedExceptions();
        assertThat(value()).isEqualTo(value);
      }
    }
  }

  @Test
  void whatIsRehearsedLeavesNothingAndTheSessionGoesOn() {
    try (Session session = open(database.dataSource()).session()) {
      assertThat(
              session.<Integer>rehearse(
                  tx -> {
                    set(tx, 5);
                    return 7;
                  }))
          .isEqualTo(7);
      assertThat(value()).isZero();
      session.transact(tx -> set(tx, 6));
    }
    assertThat(value()).isEqualTo(6);
  }

  @Test
  void errorsRollBackToo() {
    try (Session session = open(database.dataSource()).session()) {
      var error = new AssertionError("out of something");
      assertThatThrownBy(
              () ->
                  session.transact(
                      tx -> {
                        set(tx, 5);
                        throw error;
                      }))
          .isSameAs(error);
    }
    assertThat(value()).isZero();
  }

  @Test
  void aCommitWhoseAnswerIsLostIsNotRepeated() {
    FaultyDataSource faulty = new FaultyDataSource(database.dataSource());
    Database open = open(faulty, recording(7, duration -> {}));
    AtomicInteger runs = new AtomicInteger();
    try (Session session = open.session()) {
      onCommit(faulty).cut(Fault.Moment.AFTER);
      assertThat(
              catchThrowableOfType(
                      DatabaseException.class,
                      () ->
                          session.transact(
                              tx -> {
                                runs.incrementAndGet();
                                return set(tx, 3);
                              }))
                  .kind())
          .isNotEqualTo(Kind.CONTENTION);
    }
    assertThat(runs).hasValue(1);
    assertThat(value()).isEqualTo(3);
  }

  private Injection onRollback(FaultyDataSource faulty) {
    return faulty.on(dialect == Dialect.SQLITE ? Fault.sql("rollback"::equals) : Fault.rollback(1));
  }

  @Test
  void aConnectionThatCannotRollBackIsEndedAndItsWorkIsNeverCommitted() {
    FaultyDataSource faulty = new FaultyDataSource(database.dataSource());
    Database open = open(faulty, recording(7, duration -> {}));
    Session session = open.session();
    var failure = contention();
    assertThatThrownBy(
            () ->
                session.transact(
                    tx -> {
                      set(tx, 4);
                      onRollback(faulty).always().fail(Fault.Moment.BEFORE);
                      throw failure;
                    }))
        .isSameAs(failure)
        .satisfies(e -> assertThat(e.getSuppressed()).isNotEmpty());
    assertThat(pauses).isEmpty();
    assertThatThrownBy(() -> session.transact(tx -> set(tx, 5)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("closed");
    session.close();
    assertThat(value()).isZero();
  }
}
