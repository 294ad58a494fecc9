package dev.waybill.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class SqlTest {
  private static final Naming PLAIN = new Naming("p_", null);

  private static Sql compile(String text) {
    return Sql.compile("sample", text, Dialect.POSTGRES, PLAIN);
  }

  private static String renamed(String text, Dialect dialect, @Nullable String schema) {
    return Statements.rename(text, dialect, new Naming("p_", schema));
  }

  @Test
  void parametersBecomeQuestionMarksInTheirOrder() {
    Sql sql = compile("select :a, :b_2 where x = :a");
    assertThat(sql.text(1)).isEqualTo("select ?, ? where x = ?");
    assertThat(sql.headParameters()).containsExactly("a", "b_2", "a");
    assertThat(sql.repeats()).isFalse();
    assertThat(sql.knows("a")).isTrue();
    assertThat(sql.knows("c")).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "select ':a'",
        "select \":a\"",
        "select `:a`",
        "select 'it''s :a'",
        "select $$ :a $$",
        "select $x$ :a $x$",
        "select a::text, 'b'::jsonb",
        "select a[1:n]",
        "select a [2:3]",
      })
  void whatIsNoParameterIsLeftAlone(String text) {
    assertThat(compile(text).text(1)).isEqualTo(text);
    assertThat(compile(text).headParameters()).isEmpty();
  }

  @Test
  void aParameterMayBeCast() {
    assertThat(compile("select :a::bigint, (:b)::text").text(1))
        .isEqualTo("select ?::bigint, (?)::text");
  }

  @Test
  void commentsAreDroppedButHintsKept() {
    assertThat(compile("select/* :a */1 -- :b\nfrom x").text(1)).isEqualTo("select 1  \nfrom x");
    assertThat(compile("select /*+ no_merge(x) */ 1").text(1))
        .isEqualTo("select /*+ no_merge(x) */ 1");
  }

  @Test
  void aRowIsRepeatedAsOftenAsRowsAreBound() {
    Sql sql = compile("insert into t (a, b) values (:a, :b)... returning :c");
    assertThat(sql.text(1)).isEqualTo("insert into t (a, b) values (?, ?) returning ?");
    assertThat(sql.text(3))
        .isEqualTo("insert into t (a, b) values (?, ?), (?, ?), (?, ?) returning ?");
    assertThat(sql.headParameters()).isEmpty();
    assertThat(sql.rowParameters()).containsExactly("a", "b");
    assertThat(sql.tailParameters()).containsExactly("c");
    assertThat(sql.knows("a")).isFalse();
    assertThat(sql.knows("c")).isTrue();
  }

  @Test
  void aRepeatedRowMayHoldCallsAndLiterals() {
    Sql sql =
        compile(
            "insert into t values (:a, now(6), f(g(:b), ')...'), 'it''s (')... on conflict do nothing");
    assertThat(sql.row()).isEqualTo("(?, now(6), f(g(?), ')...'), 'it''s (')");
    assertThat(sql.head()).isEqualTo("insert into t values ");
    assertThat(sql.tail()).isEqualTo(" on conflict do nothing");
    assertThat(sql.rowParameters()).containsExactly("a", "b");
  }

  @Test
  void dotsInALiteralRepeatNothing() {
    assertThat(compile("select '(:a)...', \"(:b)...\"").repeats()).isFalse();
  }

  @Test
  void rowsThatMakeNoSenseAreRefused() {
    assertThatThrownBy(() -> compile("values (:a)..., (:b)..."))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("Statement sample repeats more than one row");
    assertThatThrownBy(() -> compile("values :a)..."))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("never begins");
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '~',
      textBlock =
          """
          POSTGRES |   | from "p_job"
          POSTGRES | s | from "s"."p_job"
          MYSQL    | s | from `s`.`p_job`
          MARIADB  | s | from `s`.`p_job`
          SQLITE   |   | from "p_job"
          POSTGRES | o"b`c | from "o""b`c"."p_job"
          MYSQL    | o"b`c | from `o"b``c`.`p_job`
          """,
      delimiter = '|')
  void tablesGetTheirPrefixAndSchemaQuoted(
      Dialect dialect, @Nullable String schema, String expected) {
    assertThat(renamed("from waybill_job", dialect, schema)).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(strings = {"ix", "uq", "ck", "pk", "tg"})
  void whatBelongsToATableHasNoSchema(String suffix) {
    assertThat(renamed("waybill_job_" + suffix + " waybill_job", Dialect.POSTGRES, "s"))
        .isEqualTo("\"p_job_" + suffix + "\" \"s\".\"p_job\"");
  }

  @ParameterizedTest
  @EnumSource(Dialect.class)
  void namesInLiteralsQuotesAndLongerWordsAreLeftAlone(Dialect dialect) {
    String text = "select 'waybill_job', \"waybill_job\", my_waybill_job, waybill, mywaybill_job";
    assertThat(renamed(text, dialect, null)).isEqualTo(text);
  }

  @Test
  void replacementsAreTakenLiterally() {
    assertThat(renamed("waybill_job", Dialect.POSTGRES, "$1\\2")).isEqualTo("\"$1\\2\".\"p_job\"");
  }
}
