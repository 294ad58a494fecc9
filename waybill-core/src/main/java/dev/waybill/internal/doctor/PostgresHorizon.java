package dev.waybill.internal.doctor;

import dev.waybill.internal.sql.Row;
import dev.waybill.internal.sql.Tx;
import java.sql.SQLException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;

/** Who keeps the server from cleaning up, or holds locks and does nothing. */
final class PostgresHorizon {
  private static final String CODE = "old-transaction";
  private static final int ROWS = 5;

  private PostgresHorizon() {}

  private record Backend(
      long pid,
      String user,
      String application,
      String state,
      String query,
      boolean hidden,
      Duration age) {
    static Backend of(Row row) throws SQLException {
      return new Backend(
          row.number("pid"),
          row.text("usename"),
          row.text("application"),
          row.text("state"),
          row.text("query"),
          row.flag("hidden"),
          micros(row, "age"));
    }

    boolean isIdle() {
      return state.startsWith("idle in transaction");
    }

    String who() {
      return "Process "
          + pid
          + " (user "
          + user
          + (application.isEmpty() ? "" : ", application " + application)
          + ")";
    }
  }

  private static Duration micros(Row row, String column) throws SQLException {
    return Duration.of(row.number(column), ChronoUnit.MICROS);
  }

  static void examine(Patient patient, Findings findings) {
    int before = findings.size();
    patient.read(
        tx -> {
          backends(tx, patient, findings);
          prepared(tx, patient, findings);
          slots(tx, patient, findings);
          return true;
        });
    if (findings.nothingSince(before)) {
      findings.ok(
          CODE,
          "No transaction that is older than "
              + Wording.age(patient.thresholds().oldTransaction())
              + " keeps the server from cleaning up.");
    }
  }

  private static void backends(Tx tx, Patient patient, Findings findings) {
    List<Backend> old =
        tx.sql("doctor_transactions")
            .set("micros", micros(patient))
            .set("rows", ROWS)
            .list(Backend::of);
    for (Backend backend : old) {
      if (!backend.hidden()) {
        report(backend, findings);
      }
    }
    if (old.stream().anyMatch(Backend::hidden)) {
      findings.note(
          "not-examined",
          "Other users' transactions could not be examined: how old they are is hidden from this"
              + " user.",
          "GRANT pg_read_all_stats to this user: it allows looking at what runs.");
    }
  }

  private static void report(Backend backend, Findings findings) {
    if (backend.isIdle()) {
      findings.warning(
          "idle-in-transaction",
          backend.who()
              + " began a transaction "
              + Wording.age(backend.age())
              + " ago and is idle in it; its last statement"
              + Wording.query(backend.query())
              + ".",
          "Find out why it does not commit; end it with SELECT pg_terminate_backend("
              + backend.pid()
              + "), or set idle_in_transaction_session_timeout.");
    } else {
      findings.warning(
          CODE,
          backend.who()
              + " has been in one transaction for "
              + Wording.age(backend.age())
              + " (state "
              + (backend.state().isEmpty() ? "unknown" : backend.state())
              + "), so no row that died since can be removed; its statement"
              + Wording.query(backend.query())
              + ".",
          "Let it end, or end it with SELECT pg_terminate_backend(" + backend.pid() + ").");
    }
  }

  private static long micros(Patient patient) {
    return patient.thresholds().oldTransaction().toNanos() / 1_000;
  }

  private static void prepared(Tx tx, Patient patient, Findings findings) {
    tx.sql("doctor_prepared")
        .set("micros", micros(patient))
        .set("rows", ROWS)
        .list(
            row -> {
              String gid = row.text("gid");
              findings.warning(
                  "prepared-transaction",
                  "The transaction '"
                      + gid
                      + "' was prepared "
                      + Wording.age(micros(row, "age"))
                      + " ago by "
                      + row.text("owner")
                      + " and neither committed nor rolled back: it holds its locks, and no row"
                      + " that died since can be removed.",
                  "Ask its transaction manager; else COMMIT PREPARED or ROLLBACK PREPARED '"
                      + gid
                      + "'.");
              return true;
            });
  }

  private static void slots(Tx tx, Patient patient, Findings findings) {
    tx.sql("doctor_slots")
        .set("age", patient.thresholds().oldSlot())
        .set("rows", ROWS)
        .list(
            row -> {
              String name = row.text("slot_name");
              findings.warning(
                  "replication-slot",
                  "The replication slot "
                      + name
                      + (row.flag("active") ? "" : ", which nobody uses,")
                      + " holds on to "
                      + (row.number("xmin_age") >= patient.thresholds().oldSlot()
                          ? "rows"
                          : "rows of the catalogue")
                      + " of "
                      + Math.max(row.number("xmin_age"), row.number("catalog_age"))
                      + " transactions ago.",
                  "Have its consumer catch up, or drop it with SELECT pg_drop_replication_slot('"
                      + name
                      + "').");
              return true;
            });
  }
}
