package dev.waybill.internal.doctor;

import java.util.HashSet;
import java.util.Set;

/** Whether there are connections left, and whether a connection is one session of the server. */
final class PostgresConnections {
  private static final int QUESTIONS = 5;

  private PostgresConnections() {}

  static void examine(Patient patient, Findings findings) {
    patient.read(
        tx ->
            tx.sql("doctor_connections")
                .one(
                    row -> {
                      connections(patient, findings, row.number("used"), row.number("most"));
                      return true;
                    }));
    Set<Long> backends = new HashSet<>();
    for (int i = 0; i < QUESTIONS; i++) {
      backends.add(patient.readAlone(tx -> tx.sql("doctor_backend").one(row -> row.number("pid"))));
    }
    if (backends.size() == 1) {
      findings.ok("pooler", "A connection is one session of the server.");
    } else {
      findings.warning(
          "pooler",
          "Statements on one connection were answered by "
              + backends.size()
              + " sessions of the server: there is a pooler in transaction or statement mode.",
          "Lead Waybill past it, or to a pool in session mode: migrating needs a lock that belongs"
              + " to the session, and processes wake each other by LISTEN.");
    }
  }

  private static void connections(Patient patient, Findings findings, long used, long most) {
    String what = used + " of " + most + " connections are in use.";
    if (used * 100 > most * patient.thresholds().connectionsPercent()) {
      findings.warning(
          "connections",
          what,
          "Make the pools smaller, or raise max_connections: whoever comes last is refused.");
    } else {
      findings.ok("connections", what);
    }
  }
}
