package dev.waybill.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.waybill.InvalidNameException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NamingTest {
  private static final String LONGEST_PREFIX = "a".repeat(36);

  @ParameterizedTest
  @ValueSource(
      strings = {"a", "waybill_", "Acme_2_", "x9", "a_", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"})
  void aPrefixIsAsciiLettersDigitsAndUnderscores(String prefix) {
    assertThat(new Naming(prefix, null).rename("waybill_job")).isEqualTo(prefix + "job");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "_a",
        "9a",
        "a-b",
        "a b",
        "a.b",
        "a\"",
        "a`",
        "a'",
        "a;--",
        "ä",
        "aé_",
        "а_",
        "a\n",
        "a\u0000",
        "a１",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
      })
  void anyOtherPrefixIsRefused(String prefix) {
    assertThatThrownBy(() -> new Naming(prefix, null))
        .isInstanceOf(InvalidNameException.class)
        .hasMessageContaining("Table prefix")
        .hasMessageContaining("ASCII letter")
        .hasMessageContaining("36")
        .hasMessageContaining("for example");
  }

  @Test
  void derivedNamesHaveAtMost63Bytes() {
    Naming naming = new Naming(LONGEST_PREFIX, null);
    String fits = "waybill_" + "b".repeat(27);
    assertThat(naming.rename(fits)).hasSize(63);
    assertThatThrownBy(() -> naming.rename(fits + "b"))
        .isInstanceOf(InvalidNameException.class)
        .hasMessageContaining(LONGEST_PREFIX)
        .hasMessageContaining("63 bytes")
        .hasMessageContaining("shorter prefix");
  }

  @ParameterizedTest
  @ValueSource(strings = {"public", "My Schema", "o\"brien", "schön", "a`b", "x;y"})
  void aSchemaIsAnyNameThatCanBeQuoted(String schema) {
    assertThat(new Naming("a", schema).schema()).isEqualTo(schema);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "  ", "a\nb", "a\u0000", "a\u0085b"})
  void aSchemaIsNotBlankAndHoldsNoControlCharacters(String schema) {
    assertThatThrownBy(() -> new Naming("a", schema))
        .isInstanceOf(InvalidNameException.class)
        .hasMessageContaining("Schema name");
  }

  @Test
  void aSchemaHasAtMost63BytesNotCharacters() {
    assertThat(new Naming("a", "ä".repeat(31)).schema()).hasSize(31);
    assertThatThrownBy(() -> new Naming("a", "ä".repeat(32)))
        .isInstanceOf(InvalidNameException.class)
        .hasMessageContaining("63 bytes");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"a\u001b[31m\u0007", "a\u0085\u009b", "a\u2028b\u2029", "a\u202eb", "a\ud800"})
  void messagesHoldNothingThatATerminalWouldObey(String evil) {
    for (Throwable refusal :
        new Throwable[] {
          catchThrowable(() -> new Naming(evil, null)),
          catchThrowable(() -> new Naming("a", evil + "\n"))
        }) {
      assertThat(refusal).isInstanceOf(InvalidNameException.class);
      assertThat(refusal.getMessage())
          .contains("\"a?")
          .doesNotContainPattern("[\\p{C}\\p{Zl}\\p{Zp}]");
    }
  }

  @Test
  void messagesShowOnlyTheBeginningOfAVeryLongName() {
    assertThatThrownBy(() -> new Naming("x".repeat(100_000), null))
        .satisfies(e -> assertThat(e.getMessage()).hasSizeLessThan(400).contains("x…\""));
  }

  @Test
  void theStandardNamesAreThoseOfTheFiles() {
    assertThat(Naming.standard().rename("waybill_schema_history"))
        .isEqualTo("waybill_schema_history");
    assertThat(Naming.standard().inSchema("s")).isEqualTo(new Naming("waybill_", "s"));
  }
}
