package dev.waybill.internal.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.waybill.schema.SchemaIncompatibleException;
import dev.waybill.schema.SchemaIncompatibleException.ChecksumConflict;
import dev.waybill.schema.SchemaIncompatibleException.DataNotReady;
import dev.waybill.schema.SchemaIncompatibleException.Dirty;
import dev.waybill.schema.SchemaIncompatibleException.HistoryMissing;
import dev.waybill.schema.SchemaIncompatibleException.NewerRelease;
import dev.waybill.schema.SchemaIncompatibleException.QueryFailed;
import dev.waybill.schema.SchemaIncompatibleException.TooOld;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.TestDatabase;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** When two things are wrong, the one that is listed first is said: every pair. */
@EveryDatabase(alsoOldest = true)
class PrecedenceTest {
  /** In the order of precedence. */
  enum Wrong {
    HISTORY_MISSING(HistoryMissing.class),
    CONFLICT(ChecksumConflict.class),
    DIRTY(Dirty.class),
    NEWER(NewerRelease.class),
    /** For check an error, for migrate work to do. */
    PENDING(TooOld.class),
    DATA_NOT_READY(DataNotReady.class),
    /** Nothing is wrong: only the last step is still to be done. */
    NOT_VALIDATED(null);

    final @Nullable Class<? extends SchemaIncompatibleException> verdict;

    Wrong(@Nullable Class<? extends SchemaIncompatibleException> verdict) {
      this.verdict = verdict;
    }
  }

  private final TestDatabase database;

  PrecedenceTest(TestDatabase database) {
    this.database = database.fresh();
  }

  static Stream<Arguments> pairs() {
    List<Arguments> pairs = new ArrayList<>();
    for (Wrong first : Wrong.values()) {
      for (Wrong second : Wrong.values()) {
        if (first.compareTo(second) < 0 && canMeet(first, second)) {
          pairs.add(Arguments.of(first, second));
        }
      }
    }
    return pairs.stream();
  }

  private static boolean canMeet(Wrong first, Wrong second) {
    // These are rows of the history, or the lack of one.
    return first != Wrong.HISTORY_MISSING
        || !Set.of(Wrong.CONFLICT, Wrong.DIRTY, Wrong.PENDING).contains(second);
  }

  @ParameterizedTest
  @MethodSource("pairs")
  void theFirstIsSaid(Wrong first, Wrong second) throws SQLException {
    arrange(Set.of(first, second));
    String before = SchemaDump.of(database);
    if (first.verdict != null) {
      assertThatThrownBy(() -> TestSet.guard(database).check()).isInstanceOf(first.verdict);
      assertThat(SchemaDump.of(database)).isEqualTo(before);
    }
    switch (first) {
      case HISTORY_MISSING -> migrateWithoutHistory(second);
      case PENDING, DATA_NOT_READY -> migrateAsFarAsTheCutover(first, second);
      default -> {
        List<Long> history = Rows.history(database);
        assertThatThrownBy(() -> TestSet.guard(database).migrate()).isInstanceOf(first.verdict);
        assertThat(SchemaDump.of(database)).isEqualTo(before);
        assertThat(Rows.history(database)).isEqualTo(history);
      }
    }
  }

  /** To migrate, a missing history is an empty one: only the fence can stop it before it begins. */
  private void migrateWithoutHistory(Wrong second) {
    assertThatThrownBy(() -> TestSet.guard(database).migrate())
        .isInstanceOf(second == Wrong.NEWER ? NewerRelease.class : QueryFailed.class);
  }

  private void migrateAsFarAsTheCutover(Wrong first, Wrong second) throws SQLException {
    if (first == Wrong.PENDING && second == Wrong.NOT_VALIDATED) {
      assertThat(TestSet.guard(database).migrate()).containsExactly(3L);
      assertThat(TestSet.guard(database).plan().cutovers()).isEmpty();
    } else {
      assertThatThrownBy(() -> TestSet.guard(database).migrate()).isInstanceOf(DataNotReady.class);
      assertThat(TestSet.guard(database).plan().cutovers()).containsExactly("require requests");
    }
    assertThat(Rows.history(database)).isEqualTo(TestSet.VERSIONS);
  }

  private void arrange(Set<Wrong> wrong) throws SQLException {
    boolean gap = wrong.contains(Wrong.PENDING);
    if (wrong.contains(Wrong.DATA_NOT_READY)) {
      apply(gap ? new Integer[] {1, 2, 4} : new Integer[] {1, 2, 3, 4});
      Rows.addLegacy(database);
    }
    apply(gap ? new Integer[] {1, 2, 4, 5} : new Integer[] {1, 2, 3, 4, 5});
    if (wrong.contains(Wrong.CONFLICT)) {
      Rows.spoilChecksum(database, 5);
    }
    if (wrong.contains(Wrong.DIRTY)) {
      Rows.makeDirty(database, 4);
    }
    if (wrong.contains(Wrong.NEWER)) {
      Rows.addFence(database, 99);
    }
    if (wrong.contains(Wrong.HISTORY_MISSING)) {
      database.execute("drop table waybill_schema_history");
    }
  }

  private void apply(Integer... versions) {
    TestSet.guard(database.dataSource(), TestSet.options(), TestSet.only(versions)).migrate();
  }
}
