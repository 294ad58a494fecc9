package dev.waybill.internal.doctor;

import dev.waybill.schema.SchemaIncompatibleException;
import dev.waybill.schema.SchemaIncompatibleException.QueryFailed;
import java.util.Optional;

/** Whether this release may run on the schema: the guard's verdict. */
final class SchemaTopic {
  private static final String CODE = "schema";

  private SchemaTopic() {}

  static void examine(Patient patient, Findings findings) {
    Optional<SchemaIncompatibleException> verdict = patient.verdict();
    if (verdict.isEmpty()) {
      findings.ok(CODE, "The schema is the one that this release needs.");
      return;
    }
    String word = "[" + verdict.get().verdict() + "] ";
    String message = String.valueOf(verdict.get().getMessage());
    if (verdict.get() instanceof QueryFailed) {
      findings.problem(
          CODE,
          word + message,
          "Grant this user USAGE of the schema and SELECT on "
              + patient.quoted("waybill_schema_history")
              + " and "
              + patient.quoted("waybill_schema_fence")
              + ", or do what the message says.");
      return;
    }
    // The guard says first what is wrong and then what to do.
    String[] sentences = message.split("(?<=[.]) (?=[A-Z])", 2);
    findings.problem(CODE, word + sentences[0], sentences.length > 1 ? sentences[1] : message);
  }
}
