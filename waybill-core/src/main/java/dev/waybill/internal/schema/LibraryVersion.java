package dev.waybill.internal.schema;

import dev.waybill.internal.sql.Statements;

/** The version of this library, as its build wrote it down. */
final class LibraryVersion {
  private static final String CURRENT =
      Statements.resource("/dev/waybill/version.properties").strip().replaceFirst("^version=", "");

  private LibraryVersion() {}

  static String current() {
    return CURRENT;
  }
}
