package dev.waybill.internal.doctor;

import dev.waybill.internal.sql.Row;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** What the role may do, as PostgreSQL's own functions tell it: nothing has to be tried. */
final class PostgresPrivileges {
  private static final Pattern CLEARED_BY_TRUNCATE =
      Pattern.compile("waybill_outbox_((body|outgoing)_[1-9]|incoming_[0-9])");

  /** The one that is read and set; the other is only asked for its next value. */
  private static final String SET_BY_HAND = "waybill_outbox_slots_sq";

  private PostgresPrivileges() {}

  /** Who asks, and whether it may use the schema at all. */
  private record Role(String name, boolean mayUse) {}

  static void examine(Patient patient, Findings findings) {
    Set<String> tables = patient.tables().keySet();
    Set<String> sequences = patient.expected().sequences().keySet();
    if (tables.isEmpty()) {
      return;
    }
    Map<String, String> inFiles = new HashMap<>();
    tables.forEach(name -> inFiles.put(patient.shown(name), name));
    sequences.forEach(name -> inFiles.put(patient.shown(name), name));
    Map<String, Set<String>> missing = new TreeMap<>();
    List<Role> roles =
        patient.read(
            tx ->
                patient
                    .about(tx.sql("doctor_privileges"), tables)
                    .list(
                        row -> {
                          String name = inFiles.getOrDefault(row.text("name"), "");
                          missing.put(name, missing(row, neededOnTable(name)));
                          return new Role(row.text("role"), row.flag("may_use"));
                        }));
    if (!sequences.isEmpty()) {
      patient.read(
          tx ->
              patient
                  .about(tx.sql("doctor_sequences"), sequences)
                  .list(
                      row -> {
                        String name = inFiles.getOrDefault(row.text("name"), "");
                        return missing.put(name, missing(row, neededOnSequence(name)));
                      }));
    }
    report(patient, findings, roles.get(0), missing);
  }

  private static List<String> neededOnTable(String nameInFile) {
    List<String> needed = new ArrayList<>(Privileges.needed(nameInFile));
    if (CLEARED_BY_TRUNCATE.matcher(nameInFile).matches()) {
      needed.add("TRUNCATE");
    }
    return needed;
  }

  private static List<String> neededOnSequence(String nameInFile) {
    return nameInFile.equals(SET_BY_HAND) ? List.of("SELECT", "UPDATE") : List.of("USAGE");
  }

  private static Set<String> missing(Row row, List<String> needed) throws SQLException {
    Set<String> missing = new TreeSet<>();
    for (String right : needed) {
      if (!row.flag("may_" + right.toLowerCase(Locale.ROOT))) {
        missing.add(right);
      }
    }
    return missing;
  }

  private static void report(
      Patient patient, Findings findings, Role role, Map<String, Set<String>> missing) {
    String to = " TO " + patient.dialect().quote(role.name()) + ".";
    if (!role.mayUse()) {
      findings.problem(
          Privileges.CODE,
          role.name() + " may not use the schema that Waybill's tables are in.",
          "GRANT USAGE ON SCHEMA " + patient.schema() + to);
    }
    Privileges.report(
        patient,
        findings,
        role.name(),
        missing,
        (rights, names) ->
            "GRANT "
                + String.join(", ", rights)
                + " ON "
                + (names.stream().allMatch(name -> name.endsWith("_sq")) ? "SEQUENCE " : "")
                + String.join(", ", names.stream().map(patient::quoted).toList())
                + to);
  }
}
