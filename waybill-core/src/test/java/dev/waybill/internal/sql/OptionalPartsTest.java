package dev.waybill.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class OptionalPartsTest {
  private static final String TEXT =
      "select 1 where a {and b = :b}{ and c between :c and :d} limit :n";

  @Test
  void aPartStaysIfAllItsParametersAreGiven() {
    assertThat(OptionalParts.only(TEXT, Set.of())).isEqualTo("select 1 where a  limit :n");
    assertThat(OptionalParts.only(TEXT, Set.of("b", "c")))
        .isEqualTo("select 1 where a and b = :b limit :n");
    assertThat(OptionalParts.only(TEXT, Set.of("c", "d")))
        .isEqualTo("select 1 where a  and c between :c and :d limit :n");
    assertThat(OptionalParts.all(TEXT))
        .isEqualTo("select 1 where a and b = :b and c between :c and :d limit :n");
  }

  @Test
  void bracesInLiteralsAndCommentsAreNone() {
    String text = "select '{x}' -- {:y}\n";
    assertThat(OptionalParts.in(text)).isFalse();
    assertThat(OptionalParts.only(text, Set.of())).isEqualTo(text);
    assertThat(OptionalParts.only("select 1 {where a = '}' and b = :b}", Set.of("b")))
        .isEqualTo("select 1 where a = '}' and b = :b");
  }

  @Test
  void aPartThatNeverEndsIsNoticed() {
    assertThatThrownBy(() -> OptionalParts.all("select 1 {where"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("An optional part never ends: {where");
  }

  @Test
  void theCatalogueCompilesEachChoiceOnce() {
    Statements statements =
        Statements.load(Dialect.SQLITE, Naming.standard(), List.of("dead_letters"));
    Sql plain = statements.get("dead_letters_count", Set.of("status"));
    assertThat(plain.headParameters()).containsExactly("status");
    assertThat(plain.repeats()).isFalse();
    assertThat(statements.get("dead_letters_count", Set.of("status"))).isSameAs(plain);
    Sql byIds = statements.get("dead_letters_count", Set.of("status", "type", "id"));
    assertThat(byIds.headParameters()).containsExactly("status", "type");
    assertThat(byIds.rowParameters()).containsExactly("id");
    assertThatThrownBy(() -> statements.get("dead_letters_delete", Set.of()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("Statement dead_letters_delete has no optional parts");
  }
}
