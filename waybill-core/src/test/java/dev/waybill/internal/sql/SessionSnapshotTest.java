package dev.waybill.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.waybill.DatabaseException;
import dev.waybill.DatabaseException.Kind;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.NotOn;
import dev.waybill.testkit.TestDatabase;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@EveryDatabase(alsoOldest = true)
@Timeout(120)
class SessionSnapshotTest extends SampleTable {
  SessionSnapshotTest(TestDatabase database) {
    super(database);
  }

  @Test
  void aSnapshotDoesNotSeeWhatOthersCommitMeanwhile() {
    try (Session session = open(database.dataSource()).session()) {
      long[] seen =
          session.snapshot(
              tx -> {
                long before = value(tx);
                inOtherTransaction(other -> set(other, 1));
                return new long[] {before, value(tx)};
              });
      assertThat(seen).containsExactly(0, 0);
      assertThat(session.<Long>snapshot(SampleTable::value)).isEqualTo(1);
      assertThat(session.<Integer>transact(tx -> set(tx, 2))).isEqualTo(1);
    }
  }

  @Test
  void aSnapshotIsRefusedAnyWrite() {
    try (Session session = open(database.dataSource()).session()) {
      assertThat(
              catchThrowableOfType(
                      DatabaseException.class, () -> session.snapshot(tx -> set(tx, 1)))
                  .kind())
          .isEqualTo(Kind.FATAL);
      assertThatThrownBy(
              () ->
                  session.snapshot(
                      tx -> {
                        tx.script("create table waybill_other (id integer)");
                        return 1;
                      }))
          .isInstanceOf(DatabaseException.class);
      assertThat(session.<Integer>transact(tx -> set(tx, 2))).isEqualTo(1);
    }
    assertThat(value()).isEqualTo(2);
  }

  @Test
  @NotOn(value = DatabaseProduct.SQLITE, why = "Its connections do not die")
  void aSnapshotWhoseConnectionDiesSaysSo() {
    for (DataSource source : new DataSource[] {database.dataSource(), database.pool(1)}) {
      try (Session session = open(source).session()) {
        assertThat(
                catchThrowableOfType(
                        DatabaseException.class,
                        () ->
                            session.snapshot(
                                tx -> {
                                  String ending = Sessions.ending(dialect, tx.connection());
                                  execute(ending);
                                  return value(tx);
                                }))
                    .kind())
            .isEqualTo(Kind.DISCONNECTED);
      }
    }
  }

  @Test
  @NotOn(value = DatabaseProduct.SQLITE, why = "There is no server to burden")
  void whoOnlyLooksDoesNotKeepTheServerBusyForLong() {
    String slow =
        switch (database.product()) {
          case POSTGRESQL -> "select pg_sleep(60)";
          default -> "select count(*) from " + String.join(", ", crossed());
        };
    try (Session session = open(database.dataSource()).patientFor(1).session()) {
      assertThatThrownBy(() -> session.snapshot(tx -> tx.query(slow).list(row -> 1)))
          .isInstanceOf(DatabaseException.class);
      assertThat(session.<Long>snapshot(SampleTable::value)).isEqualTo(0);
    }
  }

  /** Enough rows for hours. */
  private static List<String> crossed() {
    return Stream.of("a", "b", "c", "d", "e", "f")
        .map(name -> "information_schema.collations " + name)
        .toList();
  }

  private void execute(String statement) {
    try {
      database.execute(statement);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
