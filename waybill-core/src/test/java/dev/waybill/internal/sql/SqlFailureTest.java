package dev.waybill.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.waybill.DatabaseException;
import dev.waybill.DatabaseException.Kind;
import java.io.IOException;
import java.sql.BatchUpdateException;
import java.sql.SQLException;
import java.sql.SQLIntegrityConstraintViolationException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLSyntaxErrorException;
import java.sql.SQLTransactionRollbackException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The rules about chains and codes; what the servers really send is in the other test. */
class SqlFailureTest {
  private static SQLException deadlock() {
    return new SQLException("deadlock", "40P01");
  }

  private static Kind postgres(Throwable failure) {
    return SqlFailure.kindOf(Dialect.POSTGRES, failure);
  }

  @Test
  void causesAreAsked() {
    assertThat(postgres(new SQLException("outer", new SQLException("middle", deadlock()))))
        .isEqualTo(Kind.CONTENTION);
    assertThat(postgres(new IllegalStateException(new IOException(deadlock()))))
        .isEqualTo(Kind.CONTENTION);
  }

  @Test
  void nextExceptionsAreAsked() {
    var batch = new BatchUpdateException("batch", new int[0]);
    batch.setNextException(new SQLException("duplicate", "23505"));
    assertThat(postgres(batch)).isEqualTo(Kind.DUPLICATE);
    assertThat(postgres(new IllegalStateException(batch))).isEqualTo(Kind.DUPLICATE);
  }

  @Test
  void theOutermostThatMeansSomethingDecides() {
    assertThat(postgres(new SQLException("duplicate", "23505", deadlock())))
        .isEqualTo(Kind.DUPLICATE);
    assertThat(postgres(new SQLException("unknown", "XX000", deadlock())))
        .isEqualTo(Kind.CONTENTION);
  }

  @Test
  void whatWasClassifiedBeforeKeepsItsKind() {
    var known = new DatabaseException(Kind.DUPLICATE, "known", null);
    assertThat(SqlFailure.of(Dialect.SQLITE, "Again", known)).isSameAs(known);
    assertThat(postgres(new IllegalStateException(known))).isEqualTo(Kind.DUPLICATE);
  }

  @Test
  void suppressedExceptionsDoNotCount() {
    var failure = new SQLException("syntax", "42601");
    failure.addSuppressed(deadlock());
    assertThat(postgres(failure)).isEqualTo(Kind.FATAL);
  }

  @Test
  @Timeout(30)
  void circlesEnd() {
    var a = new SQLException("a");
    var b = new SQLException("b", a);
    a.initCause(b);
    a.setNextException(b);
    assertThat(postgres(a)).isEqualTo(Kind.FATAL);
    var c = new IllegalStateException("c");
    var d = new IllegalStateException("d", c);
    c.initCause(d);
    assertThat(SqlFailure.of(Dialect.POSTGRES, "Circling", c)).hasMessageContaining("c");
  }

  @ParameterizedTest
  @EnumSource(Dialect.class)
  void whatIsNoErrorOfADriverIsFatal(Dialect dialect) {
    assertThat(SqlFailure.kindOf(dialect, new IllegalStateException())).isEqualTo(Kind.FATAL);
    assertThat(SqlFailure.kindOf(dialect, new SQLException())).isEqualTo(Kind.FATAL);
  }

  @ParameterizedTest
  @EnumSource(Dialect.class)
  void typesAndClassesOfJdbcCountOnEveryDatabase(Dialect dialect) {
    for (SQLException lost :
        new SQLException[] {
          new SQLTransientConnectionException("pool"),
          new SQLNonTransientConnectionException("gone"),
          new SQLRecoverableException("again"),
          new SQLException("link", "08S01")
        }) {
      assertThat(SqlFailure.kindOf(dialect, lost)).isEqualTo(Kind.DISCONNECTED);
    }
    for (SQLException busy :
        new SQLException[] {
          new SQLTransactionRollbackException("rolled back"), new SQLException("again", "40001")
        }) {
      assertThat(SqlFailure.kindOf(dialect, busy)).isEqualTo(Kind.CONTENTION);
    }
    for (SQLException fatal :
        new SQLException[] {
          new SQLIntegrityConstraintViolationException("some constraint", "23000"),
          new SQLSyntaxErrorException("syntax", "42000"),
          new SQLTransientConnectionException("a pool's word on a password", "28000")
        }) {
      assertThat(SqlFailure.kindOf(dialect, fatal)).isEqualTo(Kind.FATAL);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "25P03, DISCONNECTED",
    "25P04, DISCONNECTED",
    "40003, DISCONNECTED",
    "57P02, DISCONNECTED",
    "57P03, DISCONNECTED",
    "57P05, DISCONNECTED",
    "23503, FATAL",
    "25006, FATAL",
    "53100, FATAL",
    "57014, FATAL"
  })
  void codesOfPostgresThatAreHardToProvoke(String state, Kind kind) {
    assertThat(postgres(new SQLException("x", state))).isEqualTo(kind);
  }

  @ParameterizedTest
  @CsvSource({
    "1020, HY000, CONTENTION",
    "1022, 23000, DUPLICATE",
    "1180, HY000, CONTENTION",
    "1213, 40001, CONTENTION",
    "1614, XA102, CONTENTION",
    "1637, HY000, CONTENTION",
    "1047, 08S01, DISCONNECTED",
    "1047, HY000, DISCONNECTED",
    "1053, 08S01, DISCONNECTED",
    "2006, HY000, DISCONNECTED",
    "4031, HY000, DISCONNECTED",
    "1317, 70100, FATAL",
    "1114, HY000, FATAL"
  })
  void codesOfMySqlMariaDbAndGaleraThatAreHardToProvoke(int code, String state, Kind kind) {
    var failure = new SQLException("x", state, code);
    assertThat(SqlFailure.kindOf(Dialect.MYSQL, failure)).isEqualTo(kind);
    assertThat(SqlFailure.kindOf(Dialect.MARIADB, failure)).isEqualTo(kind);
  }

  @Test
  void withoutADialectEveryDriversCodesCount() {
    assertThat(SqlFailure.ofAnyDriver("Connecting", new SQLException("starting", "57P03")).kind())
        .isEqualTo(Kind.DISCONNECTED);
    assertThat(SqlFailure.ofAnyDriver("Connecting", new SQLException("full", "HY000", 1203)).kind())
        .isEqualTo(Kind.DISCONNECTED);
    assertThat(SqlFailure.ofAnyDriver("Connecting", new SQLException("file", null, 14)).kind())
        .isEqualTo(Kind.DISCONNECTED);
    // 1029 ends in the byte that is SQLITE_BUSY.
    assertThat(SqlFailure.ofAnyDriver("Connecting", new SQLException("view", "HY000", 1029)).kind())
        .isEqualTo(Kind.FATAL);
  }

  @Test
  void theMessageSaysWhatWasDoneWhatItMeansAndWhatTheDriverSaid() {
    var cause = new SQLException("Duplicate entry 'a'", "23000", 1062);
    DatabaseException failure = SqlFailure.of(Dialect.MYSQL, "Statement x", cause);
    assertThat(failure)
        .hasMessage(
            "Statement x: the row exists already. (SQLException SQLSTATE 23000 code 1062:"
                + " Duplicate entry 'a')")
        .hasCause(cause);
    assertThat(failure.kind()).isEqualTo(Kind.DUPLICATE);
    assertThat(
            catchThrowableOfType(
                DatabaseException.class,
                () -> {
                  throw SqlFailure.of(
                      Dialect.SQLITE, "Waiting " + Duration.ZERO, new IllegalStateException("odd"));
                }))
        .hasMessageContaining("refused. (java.lang.IllegalStateException: odd)");
  }

  @ParameterizedTest
  @CsvSource({
    "0, 42501, true, false",
    "1044, 42000, true, false",
    "1142, 42000, true, false",
    "1143, 42000, true, false",
    "1227, 42000, true, false",
    "0, 25006, false, true",
    "1290, HY000, false, true",
    "1792, 25006, false, true",
    "1836, HY000, false, true",
    "1146, 42S02, false, false",
    "8, , false, true"
  })
  void whatIsForbiddenAndWhatIsReadOnlyIsToldByItsCode(
      int code, String state, boolean forbidden, boolean readOnly) {
    DatabaseException failure =
        SqlFailure.ofAnyDriver(
            "Trying", new SQLException("outer", new SQLException("no", state, code)));
    assertThat(SqlFailure.forbidden(failure)).isEqualTo(forbidden);
    assertThat(SqlFailure.readOnly(failure)).isEqualTo(readOnly);
  }
}
