package dev.waybill.internal.doctor;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;

/** Who keeps InnoDB from purging old versions of rows. */
final class MySqlTransactions {
  private static final String CODE = "old-transaction";
  private static final int ROWS = 5;

  private MySqlTransactions() {}

  private record Old(long thread, Duration age, String query) {}

  static void examine(Patient patient, Findings findings) {
    Duration threshold = patient.thresholds().oldTransaction();
    List<Old> all =
        patient.read(
            tx ->
                tx.sql("doctor_transactions")
                    .set("micros", threshold.toNanos() / 1_000)
                    .set("rows", ROWS)
                    .list(
                        row ->
                            new Old(
                                row.number("thread"),
                                Duration.of(row.number("age"), ChronoUnit.MICROS),
                                row.text("query"))));
    for (Old old : all) {
      findings.warning(
          CODE,
          "Thread "
              + old.thread()
              + " has been in one transaction for "
              + Wording.age(old.age())
              + (old.query().isEmpty()
                  ? " and is idle in it"
                  : "; its statement" + Wording.query(old.query()))
              + ": versions of rows that died since cannot be purged, and its locks stay.",
          "Let it end, or end it with KILL " + old.thread() + ".");
    }
    if (all.isEmpty()) {
      findings.ok(
          CODE,
          "No transaction that is older than "
              + Wording.age(threshold)
              + " keeps the server from cleaning up.");
    }
  }
}
