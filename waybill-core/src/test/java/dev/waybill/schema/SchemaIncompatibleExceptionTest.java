package dev.waybill.schema;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.DatabaseException;
import dev.waybill.schema.SchemaIncompatibleException.ChecksumConflict;
import dev.waybill.schema.SchemaIncompatibleException.DataNotReady;
import dev.waybill.schema.SchemaIncompatibleException.Dirty;
import dev.waybill.schema.SchemaIncompatibleException.HistoryMissing;
import dev.waybill.schema.SchemaIncompatibleException.LockNotObtained;
import dev.waybill.schema.SchemaIncompatibleException.LockNotReleased;
import dev.waybill.schema.SchemaIncompatibleException.NewerRelease;
import dev.waybill.schema.SchemaIncompatibleException.QueryFailed;
import dev.waybill.schema.SchemaIncompatibleException.TooOld;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.sql.SQLException;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class SchemaIncompatibleExceptionTest {
  private static DatabaseException lost() {
    return new DatabaseException(
        DatabaseException.Kind.DISCONNECTED, "lost", new SQLException("gone", "08006"));
  }

  static Stream<Arguments> cases() {
    return Stream.of(
        Arguments.of(new HistoryMissing("t", 1), "history-missing"),
        Arguments.of(new ChecksumConflict(2, "a", "b"), "checksum-conflict"),
        Arguments.of(new Dirty(2, 1, 3, "do this."), "dirty"),
        Arguments.of(new NewerRelease(9, "9.9.9"), "newer-release"),
        Arguments.of(new TooOld(3, 2), "too-old"),
        Arguments.of(new DataNotReady("c", Map.of("rows", 3L)), "data-not-ready"),
        Arguments.of(new LockNotObtained("busy", null), "lock-not-obtained"),
        Arguments.of(new LockNotReleased(lost()), "lock-not-released"),
        Arguments.of(new QueryFailed("Asking", lost()), "query-failed"));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void everyCaseHasItsWordAndSurvivesSerialisation(SchemaIncompatibleException it, String word)
      throws Exception {
    assertThat(it.verdict()).isEqualTo(word);
    var bytes = new ByteArrayOutputStream();
    new ObjectOutputStream(bytes).writeObject(it);
    var copy =
        (SchemaIncompatibleException)
            new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray())).readObject();
    assertThat(copy.verdict()).isEqualTo(word);
    assertThat(copy).hasSameClassAs(it).hasMessage(it.getMessage());
    assertThat(copy).usingRecursiveComparison().ignoringFields("stackTrace").isEqualTo(it);
  }

  @Test
  void everyCaseIsListed() {
    assertThat(cases().map(each -> each.get()[0].getClass())).hasSize(9).doesNotHaveDuplicates();
  }

  @Test
  void theDataOfACutoverCannotBeChanged() {
    var notReady = new DataNotReady("c", Map.of("rows", 3L));
    assertThat(notReady.cutover()).isEqualTo("c");
    assertThat(notReady.counts()).containsExactly(Map.entry("rows", 3L)).isUnmodifiable();
    assertThat(notReady).hasMessageContaining("rows=3").hasMessageContaining("Schema.migrate");
  }
}
