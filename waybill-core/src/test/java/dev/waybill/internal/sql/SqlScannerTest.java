package dev.waybill.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.internal.sql.SqlScanner.Piece;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SqlScannerTest {
  /** What is quoted is shown in brackets, comments in braces. */
  private static String shown(String sql) {
    return SqlScanner.scan(sql).stream()
        .map(
            piece ->
                switch (piece.type()) {
                  case CODE -> piece.text();
                  case QUOTED -> "[" + piece.text() + "]";
                  case COMMENT -> "{" + piece.text() + "}";
                })
        .collect(Collectors.joining());
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '~',
      textBlock =
          """
          select 1                   | select 1
          select 'a;:b' as c         | select ['a;:b'] as c
          select 'it''s' x           | select ['it''s'] x
          select '' x                | select [''] x
          select '''' x              | select [''''] x
          "a"".b" = `c``;`           | ["a"".b"] = [`c``;`]
          'a--b' --c'd               | ['a--b'] {--c'd}
          a /* b ' ; :c */ d         | a {/* b ' ; :c */} d
          a /**/ b                   | a {/**/} b
          a - b / c                  | a - b / c
          do $$ x; 'y $$ end         | do [$$ x; 'y $$] end
          do $f1_$ x $$ y $f1_$ end  | do [$f1_$ x $$ y $f1_$] end
          a = $1 and b = $2          | a = $1 and b = $2
          a$b$c                      | a$b$c
          a::text, b -> 'c:d'        | a::text, b -> ['c:d']
          'not closed                | ['not closed]
          a /* not closed            | a {/* not closed}
          do $$ not closed           | do [$$ not closed]
          -- only                    | {-- only}
          """,
      delimiter = '|')
  void codeQuotesAndCommentsAreToldApart(String sql, String expected) {
    assertThat(shown(sql)).isEqualTo(expected);
  }

  @Test
  void aLineCommentEndsBeforeTheEndOfItsLine() {
    assertThat(shown("a -- b\nc --\nd")).isEqualTo("a {-- b}\nc {--}\nd");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", " ", "a'b''c'd\"e\"`f`--g\n/*h*/$$i$$j$k$l$k$", "'", "$", "$$", "-", "/"})
  void thePiecesJoinedAreTheText(String sql) {
    assertThat(SqlScanner.scan(sql).stream().map(Piece::text).collect(Collectors.joining()))
        .isEqualTo(sql);
  }
}
