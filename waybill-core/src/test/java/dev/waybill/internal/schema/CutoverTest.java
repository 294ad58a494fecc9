package dev.waybill.internal.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class CutoverTest {
  private static final String VALIDATED = "-- name: validated\nselect 1 as validated\n";
  private static final String LEGACY = "-- name: legacy\nselect 'x' as what, 0 as n;\n";

  @Test
  void hasThreeBlocks() {
    Cutover cutover =
        Cutover.parse(
            5,
            "all of it",
            "-- Why.\n" + VALIDATED + LEGACY + "-- name: validate\na; -- first\nb;");
    assertThat(cutover.version()).isEqualTo(5);
    assertThat(cutover.name()).isEqualTo("all of it");
    assertThat(cutover.validated()).isEqualTo("select 1 as validated");
    assertThat(cutover.legacy()).isEqualTo("select 'x' as what, 0 as n");
    assertThat(cutover.validate()).containsExactly("a", "b");
  }

  @Test
  void isRefusedWithoutThem() {
    assertThatThrownBy(() -> Cutover.parse(5, "half", VALIDATED + LEGACY))
        .hasMessageContaining("half")
        .hasMessageContaining("validate");
    assertThatThrownBy(
            () -> Cutover.parse(5, "more", VALIDATED + LEGACY + "-- name: validate\n-- name: x\n"))
        .hasMessageContaining("more");
    assertThatThrownBy(
            () -> Cutover.parse(5, "two", VALIDATED + "-- name: legacy\na; b\n-- name: validate\n"))
        .hasMessageContaining("one query")
        .hasMessageContaining("legacy");
  }
}
