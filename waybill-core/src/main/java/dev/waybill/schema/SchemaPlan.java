package dev.waybill.schema;

import dev.waybill.spi.DatabaseKind;
import java.util.List;

/**
 * What {@code migrate} would do.
 *
 * @param database the kind of database found
 * @param pending the migrations it would apply, in order; empty if the schema is up to date
 * @param cutovers the names of the cutovers it would try to complete afterwards, in order
 */
public record SchemaPlan(DatabaseKind database, List<Step> pending, List<String> cutovers) {

  public SchemaPlan {
    pending = List.copyOf(pending);
    cutovers = List.copyOf(cutovers);
  }

  /**
   * One migration.
   *
   * @param version its number
   * @param description what it is for
   * @param fenced whether older releases refuse to run once it is applied
   * @param statements its SQL, with the names this database uses
   */
  public record Step(long version, String description, boolean fenced, List<String> statements) {
    public Step {
      statements = List.copyOf(statements);
    }
  }
}
