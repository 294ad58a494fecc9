package dev.waybill.internal.doctor;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiFunction;

/** What a process that runs Waybill must be allowed to do, and how it is told what it may not. */
final class Privileges {
  static final String CODE = "privileges";

  private Privileges() {}

  /** The guard's own tables are written by who migrates; everybody else only reads them. */
  static List<String> needed(String nameInFile) {
    return nameInFile.startsWith("waybill_schema_")
        ? List.of("SELECT")
        : List.of("SELECT", "INSERT", "UPDATE", "DELETE");
  }

  /**
   * One finding for all that lack the same.
   *
   * @param missing by their names in the files
   * @param remedy for these rights on these names
   */
  static void report(
      Patient patient,
      Findings findings,
      String role,
      Map<String, Set<String>> missing,
      BiFunction<List<String>, Set<String>, String> remedy) {
    // Sequences are granted by statements of their own.
    Map<List<String>, Set<String>> same = new LinkedHashMap<>();
    missing.forEach(
        (name, rights) -> {
          if (!rights.isEmpty()) {
            List<String> key = new ArrayList<>(rights);
            key.add(name.endsWith("_sq") ? "sequence" : "table");
            same.computeIfAbsent(key, any -> new TreeSet<>()).add(name);
          }
        });
    same.forEach(
        (key, names) -> {
          List<String> rights = key.subList(0, key.size() - 1);
          findings.problem(
              CODE,
              role
                  + " lacks "
                  + String.join(", ", rights)
                  + " on "
                  + Wording.names(patient.shown(names))
                  + ".",
              remedy.apply(rights, names));
        });
    if (same.isEmpty()) {
      findings.ok(CODE, role + " may do all that Waybill does.");
    }
  }
}
