package dev.waybill.internal.doctor;

import java.util.HashMap;
import java.util.Map;

/** Whether ids are handed out one by one, as the migrations made it. */
final class PostgresSequences {
  private static final String CODE = "sequence-cache";

  private PostgresSequences() {}

  static void examine(Patient patient, Findings findings) {
    Map<String, Long> expected = patient.expected().sequences();
    if (expected.isEmpty()) {
      return;
    }
    Map<String, Long> caches = new HashMap<>();
    patient.read(
        tx ->
            patient
                .about(tx.sql("doctor_sequences"), expected.keySet())
                .list(row -> caches.put(row.text("name"), row.number("cache"))));
    int before = findings.size();
    expected.forEach(
        (name, cache) -> {
          Long found = caches.get(patient.shown(name));
          if (found == null) {
            findings.problem(
                "tables",
                "The sequence " + patient.shown(name) + " is missing.",
                "Make it again with its statement of `waybill schema print`, starting above the"
                    + " greatest id there is.");
          } else if (!found.equals(cache)) {
            findings.problem(
                CODE,
                "The sequence "
                    + patient.shown(name)
                    + " hands out "
                    + found
                    + " numbers at a time to each session, so a later message may come before an"
                    + " earlier one.",
                "ALTER SEQUENCE " + patient.quoted(name) + " CACHE " + cache + ".");
          }
        });
    if (findings.nothingSince(before)) {
      findings.ok(CODE, "Ids are handed out in the order in which they are asked for.");
    }
  }
}
