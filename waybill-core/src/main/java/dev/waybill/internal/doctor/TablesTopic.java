package dev.waybill.internal.doctor;

import dev.waybill.internal.schema.Inventory;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Whether the tables and indexes are there that the applied migrations made. */
final class TablesTopic {
  private static final String CODE = "tables";
  private static final String INDEXES = "indexes";

  private TablesTopic() {}

  static void examine(Patient patient, Findings findings) {
    Inventory expected = patient.expected();
    if (expected.tables().isEmpty()) {
      return;
    }
    Set<String> missing = new TreeSet<>(expected.tables());
    missing.removeAll(patient.tables().keySet());
    if (missing.isEmpty()) {
      findings.ok(CODE, "All " + expected.tables().size() + " tables are there.");
    } else {
      findings.problem(
          CODE,
          "Of the tables that the migrations made, these are missing"
              + (patient.isMySql() ? " or hidden from this user: " : ": ")
              + Wording.names(patient.shown(missing))
              + ".",
          "Restore them from a backup, or, if nothing of them is needed, make them again with the"
              + " statements of `waybill schema print`.");
    }
    examineIndexes(patient, findings);
  }

  private static void examineIndexes(Patient patient, Findings findings) {
    Map<String, Boolean> valid = new HashMap<>();
    if (!patient.tables().isEmpty()) {
      patient.read(
          tx ->
              patient
                  .about(tx.sql("doctor_indexes"), patient.tables().keySet())
                  .list(
                      row ->
                          valid.put(
                              key(patient, row.text("table_name"), row.text("name")),
                              row.flag("valid"))));
    }
    Set<String> missing = new TreeSet<>();
    Set<String> invalid = new TreeSet<>();
    int looked = 0;
    for (Inventory.Index index : patient.expected().indexes()) {
      if (!patient.tables().containsKey(index.table())) {
        continue;
      }
      looked++;
      String table = patient.shown(index.table());
      String name = index.isPrimary() ? index.name() : patient.shown(index.name());
      Boolean found = valid.get(key(patient, table, name));
      if (found == null) {
        missing.add(index.isPrimary() ? "the primary key of " + table : name);
      } else if (!found) {
        invalid.add(name);
      }
    }
    report(findings, looked, missing, invalid);
  }

  private static String key(Patient patient, String table, String index) {
    return patient.folded(table) + " " + patient.folded(index);
  }

  private static void report(
      Findings findings, int looked, Set<String> missing, Set<String> invalid) {
    if (missing.isEmpty() && invalid.isEmpty()) {
      findings.ok(INDEXES, "All " + looked + " indexes are there.");
    }
    if (!missing.isEmpty()) {
      findings.problem(
          INDEXES,
          "Of the indexes that the migrations made, these are missing: "
              + Wording.names(missing)
              + ".",
          "Make them again with the statements of `waybill schema print`: unique ones keep"
              + " promises, and without the others statements read whole tables.");
    }
    if (!invalid.isEmpty()) {
      findings.problem(
          INDEXES,
          "These indexes are marked as invalid, so they are not used: "
              + Wording.names(invalid)
              + ".",
          "Build them again with REINDEX INDEX.");
    }
  }
}
