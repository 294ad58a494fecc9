package dev.waybill.internal.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      textBlock =
          """
          null | null
          true | true
          " " | " "
          "\\u0041\\n\\/" | "A\\n/"
          0 | 0
          -0.0e5 | 0
          1.0 | 1
          100 | 100
          1e2 | 100
          0.10 | 0.1
          -12.50e-1 | -1.25
          123456789012345678901234567890 | 123456789012345678901234567890
          1e300 | 1E300
          25e-100 | 25E-100
          [ 1 , [ ] , { } ] | [1,[],{}]
          {"b":1,"a":{"d":null,"c":false}} | {"a":{"c":false,"d":null},"b":1}
          {"a":1,"a":2} | {"a":2}
          """)
  void whatMeansTheSameBecomesTheSameText(String text, String canonical) {
    assertThat(Json.canonical(text)).isEqualTo(canonical);
    assertThat(Json.canonical(canonical)).isEqualTo(canonical);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "nul",
        "truex",
        "01",
        "+1",
        ".5",
        "1.",
        "1e",
        "NaN",
        "[1,]",
        "[1 2]",
        "{\"a\"}",
        "{a:1}",
        "{\"a\":1,}",
        "\"",
        "\"\\x\"",
        "\"\\u12\"",
        "\"\\u\uff10\uff10\uff14\uff11\"",
        "\"a\nb\"",
        "\"\\u0000\"",
        "\"\\ud800\"",
        "1 2",
        "'a'",
        "1e9999999999"
      })
  void whatIsNotJsonIsRefused(String text) {
    assertThat(Json.complaintAbout(text)).startsWith("is not JSON: ");
  }

  @Test
  void aNumberIsNoBook() {
    assertThat(Json.complaintAbout("1".repeat(10_000))).isNull();
    assertThat(Json.complaintAbout("1".repeat(1_000_000))).contains("a number of more than 10000");
    assertThat(Json.canonical("1e999999999")).isEqualTo("1E999999999");
    assertThat(Json.canonical("-0.0e-999999999")).isEqualTo("0");
  }

  @Test
  void depthIsBounded() {
    assertThatThrownBy(() -> Json.parse("[".repeat(100_000)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("more than 200 levels");
  }
}
