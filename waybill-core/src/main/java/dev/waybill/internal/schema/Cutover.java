package dev.waybill.internal.schema;

import dev.waybill.internal.sql.Statements;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The second half of a migration that tightens a rule under which old rows may exist: the migration
 * itself makes the database refuse new violators at once; the cutover is complete when none are
 * left.
 *
 * @param version the migration it completes
 * @param name its name
 * @param validated a query with one row, {@code validated}: nothing is left to do
 * @param legacy a query with rows ({@code what}, {@code n}): how many old rows are left
 * @param validate what completes it; each statement can be repeated, and does nothing or fails
 *     while old rows are left
 */
record Cutover(long version, String name, String validated, String legacy, List<String> validate) {

  static Cutover parse(long version, String name, String text) {
    Map<String, String> blocks = Statements.blocks(text);
    if (!blocks.keySet().equals(Set.of("validated", "legacy", "validate"))) {
      throw new IllegalStateException(
          "Cutover " + name + " must have the blocks validated, legacy and validate");
    }
    return new Cutover(
        version,
        name,
        single(blocks, "validated", name),
        single(blocks, "legacy", name),
        Migration.split(blocks.getOrDefault("validate", "")));
  }

  private static String single(Map<String, String> blocks, String block, String cutover) {
    List<String> statements = Migration.split(blocks.getOrDefault(block, ""));
    if (statements.size() != 1) {
      throw new IllegalStateException(
          "Cutover " + cutover + " must have one query as its block " + block);
    }
    return statements.get(0);
  }
}
