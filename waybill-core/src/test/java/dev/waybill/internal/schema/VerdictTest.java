package dev.waybill.internal.schema;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.internal.sql.Dialect;
import dev.waybill.internal.store.SchemaStore.FenceRow;
import dev.waybill.internal.store.SchemaStore.HistoryRow;
import dev.waybill.schema.SchemaIncompatibleException;
import dev.waybill.schema.SchemaIncompatibleException.AboutVersion;
import dev.waybill.schema.SchemaIncompatibleException.ChecksumConflict;
import dev.waybill.schema.SchemaIncompatibleException.Dirty;
import dev.waybill.schema.SchemaIncompatibleException.NewerRelease;
import dev.waybill.schema.SchemaIncompatibleException.TooOld;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class VerdictTest {
  private final Migrations bundle = TestSet.all(Dialect.SQLITE);
  private final List<HistoryRow> history = new ArrayList<>();
  private final List<FenceRow> fence = new ArrayList<>();

  @Test
  void allAppliedIsNoObstacle() {
    TestSet.VERSIONS.forEach(version -> row(version, true));
    assertThat(obstacle()).isEmpty();
    assertThat(verdict().tooOld()).isEmpty();
    assertThat(verdict().pending()).isEmpty();
  }

  @Test
  void theLowestConflictIsNamed() {
    row(1, true);
    row(3, "c", true);
    row(4, "d", false);
    assertAbout(obstacle(), ChecksumConflict.class, 3);
  }

  @Test
  void aDirtyRowOfAnotherChecksumIsAConflictEvenAboveADirtyOneOfOurs() {
    row(2, false);
    row(4, "d", false);
    assertAbout(obstacle(), ChecksumConflict.class, 4);
  }

  @Test
  void theLowestDirtyRowIsNamedWithItsStatementAndTheWayOut() {
    row(2, false);
    row(3, false);
    fence.add(new FenceRow(99, "9.9.9"));
    assertAbout(obstacle(), Dirty.class, 2);
    assertThat(obstacle().orElseThrow())
        .hasMessageContaining("Migration 2 ")
        .hasMessageContaining("statement 2 of 3")
        .hasMessageContaining("waybill schema print --undo 2")
        .hasMessageContaining("some.table");
  }

  @Test
  void theLowestUnknownFenceRowIsNamed() {
    fence.add(new FenceRow(5, "0.1.0"));
    fence.add(new FenceRow(50, "5.0.0"));
    fence.add(new FenceRow(99, "9.9.9"));
    assertAbout(obstacle(), NewerRelease.class, 50);
    assertThat(obstacle().orElseThrow()).hasMessageContaining("5.0.0");
  }

  @Test
  void foreignRowsAreIgnoredWhateverTheySay() {
    TestSet.VERSIONS.forEach(version -> row(version, true));
    row(-1, "x", false);
    row(6, "", true);
    row(Long.MAX_VALUE, "x", false);
    assertThat(obstacle()).isEmpty();
    assertThat(verdict().tooOld()).isEmpty();
  }

  @Test
  void gapsArePendingInOrderAndTheLowestMakesItTooOld() {
    row(1, true);
    row(4, true);
    row(99, "x", true);
    assertThat(verdict().pending()).extracting(Migration::version).containsExactly(2L, 3L, 5L);
    TooOld tooOld = (TooOld) verdict().tooOld().orElseThrow();
    assertThat(tooOld.version()).isEqualTo(2);
    assertThat(tooOld.latestApplied()).isEqualTo(4);
    assertThat(tooOld).hasMessageContaining("print --from 2 --to 2");
  }

  @Test
  void onlySuccessfulRowsOfOurChecksumAreApplied() {
    row(1, true);
    row(2, false);
    row(3, "c", true);
    assertThat(verdict().pending()).extracting(Migration::version).containsExactly(2L, 3L, 4L, 5L);
    assertThat(((TooOld) verdict().tooOld().orElseThrow()).latestApplied()).isEqualTo(1);
  }

  @Test
  void anEmptyHistoryIsTooOldFromTheFirst() {
    TooOld tooOld = (TooOld) verdict().tooOld().orElseThrow();
    assertThat(tooOld.version()).isEqualTo(1);
    assertThat(tooOld.latestApplied()).isZero();
    assertThat(tooOld).hasMessageContaining("print --from 1`");
  }

  private static void assertAbout(
      Optional<SchemaIncompatibleException> verdict,
      Class<? extends AboutVersion> type,
      long version) {
    assertThat(verdict)
        .get()
        .isInstanceOfSatisfying(type, about -> assertThat(about.version()).isEqualTo(version));
  }

  private Verdict verdict() {
    return new Verdict(bundle, history, fence);
  }

  private Optional<SchemaIncompatibleException> obstacle() {
    return verdict().obstacle("some.table");
  }

  private void row(long version, boolean success) {
    row(version, bundle.find(version).orElseThrow().checksum(), success);
  }

  private void row(long version, String checksum, boolean success) {
    history.add(
        new HistoryRow(
            version, "text", checksum, success, 2, Instant.EPOCH, Duration.ZERO, "0.1.0"));
  }
}
