package dev.waybill.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.waybill.DatabaseException;
import dev.waybill.Migrated;
import dev.waybill.Waybill;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.Fault;
import dev.waybill.testkit.FaultyDataSource;
import dev.waybill.testkit.TestDatabase;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** However a requeue ends and whoever else requeues, each dead letter becomes one message. */
@EveryDatabase(alsoOldest = true)
class DeadLetterRequeueOnceTest {
  private static final Executor THREADS = task -> new Thread(task, "test").start();
  private static final DeadLetterFilter ALL = DeadLetterFilter.defaults();

  private final TestDatabase database;
  private final FaultyDataSource watched;
  private final Graveyard graveyard;
  private final List<Waybill> running = new ArrayList<>();
  private final DeadLetters deadLetters;

  DeadLetterRequeueOnceTest(TestDatabase database) {
    this.database = Migrated.on(database);
    watched = new FaultyDataSource(this.database.dataSource());
    graveyard = new Graveyard(this.database);
    deadLetters = operator();
  }

  @AfterEach
  void stop() {
    running.forEach(Waybill::close);
  }

  private DeadLetters operator() {
    Waybill waybill =
        Waybill.builder(watched)
            .outbox(o -> o.withoutWorkers().queue("orders", Partitions.of(4)).produceOnly())
            .start();
    running.add(waybill);
    return waybill.outbox().deadLetters();
  }

  private long bodies() throws SQLException {
    return graveyard.bodies();
  }

  private long incoming() throws SQLException {
    return graveyard.incoming();
  }

  /** A server needs a moment to miss its client; until then a requeue would pass the rows by. */
  private void awaitTheRollbackOf(List<Long> deadLetters) throws SQLException {
    graveyard.set("attempts = attempts", deadLetters);
  }

  private Fault onCommit() {
    return database.product() == DatabaseProduct.SQLITE
        ? Fault.sql("commit"::equals)
        : Fault.commit(1);
  }

  @Test
  void aCrashBeforeTheCommitLeavesAllAsItWas() throws Exception {
    List<Long> buried = graveyard.bury("orders", 0, 5);
    watched.reset();
    watched.on(onCommit()).cut(Fault.Moment.BEFORE);

    assertThatThrownBy(() -> deadLetters.requeue(ALL)).isInstanceOf(DatabaseException.class);

    assertThat(deadLetters.count(ALL)).isEqualTo(5);
    assertThat(bodies()).isZero();
    assertThat(incoming()).isZero();
    awaitTheRollbackOf(buried);
    assertThat(deadLetters.requeue(ALL)).isEqualTo(5);
    assertThat(incoming()).isEqualTo(5);
  }

  @Test
  void aCrashAtAnyStatementLeavesAllAsItWas() throws Exception {
    List<Long> buried = graveyard.bury("orders", 0, 5);
    int statements = 0;
    while (true) {
      watched.reset();
      watched.on(Fault.statement(++statements)).cut(Fault.Moment.AFTER);
      try {
        deadLetters.requeue(ALL);
        break;
      } catch (DatabaseException cut) {
        if (database.product() == DatabaseProduct.SQLITE && deadLetters.count(ALL) == 0) {
          break; // It commits by a statement.
        }
        awaitTheRollbackOf(buried);
        assertThat(deadLetters.count(ALL)).as("cut %d", statements).isEqualTo(5);
        assertThat(bodies()).isZero();
        assertThat(incoming()).isZero();
      }
    }
    watched.reset();
    assertThat(statements).isGreaterThan(3);
    assertThat(incoming()).isEqualTo(5);
    assertThat(deadLetters.requeue(ALL)).isZero();
  }

  @Test
  void anAnswerThatIsLostAfterTheCommitDoesNotMakeTwoMessages() throws Exception {
    graveyard.bury("orders", 0, 5);
    watched.reset();
    watched.on(onCommit()).cut(Fault.Moment.AFTER);

    assertThatThrownBy(() -> deadLetters.requeue(ALL)).isInstanceOf(DatabaseException.class);

    assertThat(deadLetters.requeue(ALL)).isZero();
    assertThat(incoming()).isEqualTo(5);
    assertThat(deadLetters.count(ALL.status(DeadLetterStatus.RESOLVED))).isEqualTo(5);
  }

  @Test
  void twoOperatorsAtOnceMakeOneMessageOfEach() throws Exception {
    graveyard.bury("orders", 0, 300);
    List<CompletableFuture<Integer>> both = new ArrayList<>();
    for (DeadLetters each : List.of(deadLetters, operator())) {
      both.add(
          CompletableFuture.supplyAsync(
              () -> {
                int all = 0;
                while (each.count(ALL) > 0) {
                  all += each.requeue(ALL.limit(20));
                }
                return all;
              },
              THREADS));
    }
    int requeued = 0;
    for (var each : both) {
      requeued += each.get(60, TimeUnit.SECONDS);
    }
    assertThat(requeued).isEqualTo(300);
    assertThat(bodies()).isEqualTo(300);
    assertThat(incoming()).isEqualTo(300);
  }
}
