package dev.waybill;

import dev.waybill.internal.doctor.Examination;
import dev.waybill.schema.SchemaOptions;
import java.util.List;
import java.util.Objects;
import javax.sql.DataSource;

/**
 * Looks at a database and says what is wrong with it for Waybill, and what to do: the schema and
 * its tables, privileges, clocks, settings that cost durability, transactions that hold the
 * clean-up back, and whether the messages at the head of each line are there.
 *
 * <p>It works where Waybill itself would refuse to start, changes nothing, and costs the database
 * some dozens of small queries, however much waits in it.
 */
public final class Doctor {
  private Doctor() {}

  /** {@link #examine(DataSource, SchemaOptions)} with the defaults. */
  public static List<Finding> examine(DataSource dataSource) {
    return examine(dataSource, SchemaOptions.defaults());
  }

  /**
   * Everything that was looked at, also what is as it should be, in a fixed order. What cannot be
   * looked at is a finding too, which says which privilege is missing.
   *
   * @throws DatabaseException if the database cannot be reached or lets nobody in
   * @throws InvalidNameException if the names in the options are not usable
   */
  public static List<Finding> examine(DataSource dataSource, SchemaOptions options) {
    return Examination.of(
        Objects.requireNonNull(dataSource, "dataSource"),
        Objects.requireNonNull(options, "options"));
  }
}
