package dev.waybill.internal.doctor;

import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Whether every table is kept by InnoDB: no other engine has transactions as we need them. */
final class MySqlEngines {
  private static final String CODE = "engine";

  private MySqlEngines() {}

  static void examine(Patient patient, Findings findings) {
    Map<String, String> engines = patient.tables();
    if (engines.isEmpty()) {
      return;
    }
    Set<String> others = new TreeSet<>();
    engines.forEach(
        (table, engine) -> {
          if (!engine.equalsIgnoreCase("InnoDB")) {
            others.add(patient.shown(table) + " (" + engine + ")");
          }
        });
    if (others.isEmpty()) {
      findings.ok(CODE, "All tables are kept by InnoDB.");
    } else {
      findings.problem(
          CODE,
          "These tables are not kept by InnoDB, so what is written there is not part of your"
              + " transactions: "
              + Wording.names(others)
              + ".",
          "ALTER TABLE ... ENGINE = InnoDB for each, while no process with Waybill runs.");
    }
  }
}
