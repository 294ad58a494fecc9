package dev.waybill.internal.schema;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.schema.SchemaIncompatibleException.Dirty;
import dev.waybill.testkit.TestDatabase;
import java.sql.SQLException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** An operator who reads the message and does what it says, nothing else. */
final class Recovery {
  private static final Pattern REMEDY = Pattern.compile("`waybill schema print --undo (\\d+)`");

  private final TestDatabase database;

  private Recovery(TestDatabase database) {
    this.database = database;
  }

  static Recovery of(TestDatabase database) {
    return new Recovery(database);
  }

  /** Migrates to the end; true if a dirty migration had to be taken back on the way. */
  boolean complete() throws SQLException {
    try {
      TestSet.guard(database).migrate();
      return false;
    } catch (Dirty dirty) {
      Script.run(database, undoNamedIn(dirty));
      TestSet.guard(database).migrate();
      return true;
    }
  }

  private String undoNamedIn(Dirty dirty) {
    Matcher remedy = REMEDY.matcher(dirty.getMessage());
    assertThat(remedy.find()).as(dirty.getMessage()).isTrue();
    long version = Long.parseLong(remedy.group(1));
    assertThat(version).isEqualTo(dirty.version());
    return SchemaPrinter.undo(
        TestSet.dialect(database),
        version,
        TestSet.options(),
        TestSet.all(TestSet.dialect(database)));
  }
}
