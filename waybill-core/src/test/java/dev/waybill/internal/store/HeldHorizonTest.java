package dev.waybill.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.NotOn;
import dev.waybill.testkit.TestDatabase;
import java.sql.Connection;
import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A transaction somewhere in the database keeps its snapshot, so that no dead row of any table can
 * be removed. The tables of messages stay small all the same.
 */
@Tag("once")
@EveryDatabase(alsoOldest = true)
@NotOn(
    value = {DatabaseProduct.MYSQL, DatabaseProduct.MARIADB, DatabaseProduct.SQLITE},
    why = "they delete")
class HeldHorizonTest {
  private static final int ROUNDS = 20;
  private static final int MESSAGES = 500;
  private static final long SLOT = 256 << 10;
  private static final long INTAKE = 64 << 10;
  private static final long CURSORS = 1 << 20;

  private final SlotsAtWork at;

  HeldHorizonTest(TestDatabase database) {
    at = new SlotsAtWork(database);
  }

  @Test
  void theTablesStaySmallWhileNoDeadRowCanBeRemoved() throws Exception {
    Rotation rotation =
        Rotation.of(
                at.stores.database, new Rotation.Limits(SLOT, INTAKE, CURSORS, Duration.ofDays(1)))
            .orElseThrow();
    String[] texts =
        IntStream.range(0, MESSAGES).mapToObj(i -> "x".repeat(200)).toArray(String[]::new);
    long written = 0;
    try (Connection idle = at.database.connect()) {
      idle.setAutoCommit(false);
      idle.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      try (var statement = idle.createStatement()) {
        statement.execute("select count(*) from pg_class");
      }
      for (int round = 0; round < ROUNDS; round++) {
        at.stores.enqueue(at.first, texts);
        assertThat(at.deliver(at.first)).hasSize(MESSAGES);
        written += MESSAGES;
        at.turn(rotation);

        // One slot that fills, and what came since the last look.
        assertThat(at.bytes("body")).isLessThan(SLOT + MESSAGES * 400L);
        assertThat(at.bytes("incoming")).isLessThan(2 * INTAKE);
        assertThat(at.bytes("outgoing")).isLessThan(64 << 10);
      }
      idle.rollback();
    }
    assertThat(at.stores.messages.state(at.first).processedSeq()).isEqualTo(written);
  }
}
