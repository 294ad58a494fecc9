package dev.waybill.internal.doctor;

import dev.waybill.DatabaseException;
import dev.waybill.DatabaseException.Kind;
import dev.waybill.internal.sql.Tx;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What the user may do, by trying it on no row: grants may come from roles and patterns, which the
 * catalogue does not resolve.
 */
final class MySqlPrivileges {
  private static final String HISTORY = "waybill_schema_history";

  private MySqlPrivileges() {}

  /** How many columns a table has, and one of them; none that the user may see is 0. */
  private record Columns(long count, String first) {}

  static void examine(Patient patient, Findings findings) {
    Set<String> tables = new TreeSet<>(patient.expected().tables());
    // Also if nobody seems to have migrated: maybe this user is only not shown the table.
    tables.add(HISTORY);
    Map<String, Columns> columns = new HashMap<>();
    String user =
        patient.read(
            tx -> {
              patient
                  .about(tx.sql("doctor_columns"), tables)
                  .list(
                      row ->
                          columns.put(
                              patient.folded(row.text("name")),
                              new Columns(row.number("n"), row.text("first_column"))));
              return tx.sql("doctor_user").one(row -> row.text("role"));
            });
    Map<String, Set<String>> missing = new TreeMap<>();
    boolean writable =
        patient.rehearse(
            tx -> {
              boolean possible = true;
              for (String table : tables) {
                Columns known =
                    columns.getOrDefault(patient.folded(patient.shown(table)), new Columns(0, ""));
                Set<String> refused = new TreeSet<>();
                possible &= probe(tx, patient, table, known, refused);
                missing.put(table, refused);
              }
              return possible;
            });
    if (writable || missing.values().stream().anyMatch(rights -> !rights.isEmpty())) {
      Privileges.report(
          patient,
          findings,
          user,
          missing,
          (rights, names) ->
              "GRANT "
                  + String.join(", ", rights)
                  + " ON "
                  + patient.schema()
                  + ".* TO "
                  + quoted(user)
                  + ", or on each of these tables.");
    }
    if (!writable) {
      findings.note(
          "not-examined",
          "Whether " + user + " may write could not be examined: the server takes no writes.",
          "Examine the server that does.");
    }
  }

  /** The server says {@code user@host}, and the user may have such a sign as well. */
  private static String quoted(String user) {
    int at = user.lastIndexOf('@');
    return at < 0 ? user : "'" + user.substring(0, at) + "'@'" + user.substring(at + 1) + "'";
  }

  /** Adds what is refused. False if the server takes no writes at all. */
  private static boolean probe(
      Tx tx, Patient patient, String table, Columns columns, Set<String> refused) {
    if (!patient.tables().containsKey(table)) {
      if (isHidden(tx, statement("SELECT", table, columns, patient))) {
        refused.addAll(Privileges.needed(table));
      }
      return true;
    }
    boolean possible = true;
    for (String right : Privileges.needed(table)) {
      String statement = statement(right, table, columns, patient);
      try {
        // Who may insert or update is shown the columns.
        if (statement.isEmpty() || isForbidden(tx, statement)) {
          refused.add(right);
        }
      } catch (DatabaseException e) {
        if (!Tx.readOnly(e)) {
          throw e;
        }
        possible = false;
      }
    }
    return possible;
  }

  /** Whether a table that the catalogue does not show is there for others, or not at all. */
  private static boolean isHidden(Tx tx, String statement) {
    try {
      return isForbidden(tx, statement);
    } catch (DatabaseException e) {
      if (e.kind() == Kind.FATAL) {
        return false;
      }
      throw e;
    }
  }

  private static boolean isForbidden(Tx tx, String statement) {
    try {
      tx.query(statement).execute();
      return false;
    } catch (DatabaseException e) {
      if (Tx.forbidden(e)) {
        return true;
      }
      throw e;
    }
  }

  private static String statement(String right, String table, Columns columns, Patient patient) {
    return switch (right) {
      case "SELECT" -> "select 1 from " + table + " where 1 = 0";
      case "DELETE" -> "delete from " + table + " where 1 = 0";
      case "INSERT" ->
          columns.count() == 0
              ? ""
              : "insert into " + table + " select " + nulls(columns) + " from dual where 1 = 0";
      default ->
          columns.count() == 0
              ? ""
              : "update "
                  + table
                  + " set "
                  + patient.dialect().quote(columns.first())
                  + " = null where 1 = 0";
    };
  }

  private static String nulls(Columns columns) {
    List<String> nulls = new ArrayList<>(Collections.nCopies((int) columns.count(), "null"));
    return String.join(", ", nulls);
  }
}
