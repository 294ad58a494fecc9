package dev.waybill.internal.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.waybill.schema.SchemaIncompatibleException.ChecksumConflict;
import dev.waybill.schema.SchemaIncompatibleException.HistoryMissing;
import dev.waybill.schema.SchemaStatus;
import dev.waybill.schema.SchemaStatus.State;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.TestDatabase;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;

/** Status says how each migration stands. */
@EveryDatabase(alsoOldest = true)
class StatusTest {
  private final TestDatabase database;

  StatusTest(TestDatabase database) {
    this.database = database.fresh();
  }

  @Test
  void everyState() throws SQLException {
    TestSet.guard(database.dataSource(), TestSet.options(), TestSet.upTo(4)).migrate();
    Rows.spoilChecksum(database, 2);
    Rows.makeDirty(database, 3);
    Rows.addHistory(database, 99, Rows.FOREIGN, false);

    SchemaStatus status = TestSet.guard(database).status();
    assertThat(status.database()).isEqualTo(TestSet.dialect(database).kind());
    assertThat(status.verdict()).get().isInstanceOf(ChecksumConflict.class);
    assertThat(status.migrations())
        .extracting(SchemaStatus.Migration::version, SchemaStatus.Migration::state)
        .containsExactly(
            tuple(1L, State.APPLIED),
            tuple(2L, State.CONFLICT),
            tuple(3L, State.DIRTY),
            tuple(4L, State.APPLIED),
            tuple(5L, State.PENDING),
            tuple(99L, State.UNKNOWN));
    SchemaStatus.Migration pending = status.migrations().get(4);
    assertThat(pending.description()).isEqualTo("require requests");
    assertThat(pending.appliedAt()).isNull();
    assertThat(pending.duration()).isNull();
    assertThat(pending.appliedBy()).isNull();
    SchemaStatus.Migration unknown = status.migrations().get(5);
    assertThat(unknown.description()).isEqualTo("written by Waybill; says 'waybill'");
    assertThat(unknown.appliedBy()).isEqualTo("9.9.9");
    assertThat(unknown.duration()).hasMillis(7);
  }

  @Test
  void withoutAVerdictAllIsWell() {
    TestSet.guard(database).migrate();
    SchemaStatus status = TestSet.guard(database).status();
    assertThat(status.verdict()).isEmpty();
    assertThat(status.migrations())
        .extracting(SchemaStatus.Migration::state)
        .containsOnly(State.APPLIED);
  }

  @Test
  void anEmptyDatabaseHasAllOfItPending() {
    SchemaStatus status = TestSet.guard(database).status();
    assertThat(status.verdict()).get().isInstanceOf(HistoryMissing.class);
    assertThat(status.migrations())
        .extracting(SchemaStatus.Migration::state)
        .containsOnly(State.PENDING);
  }
}
