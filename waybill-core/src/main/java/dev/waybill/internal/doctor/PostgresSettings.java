package dev.waybill.internal.doctor;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/** Whether the server takes writes, keeps what is committed, and cleans up after itself. */
final class PostgresSettings {
  private PostgresSettings() {}

  /** A setting now, and what it would be for a new session. */
  record Setting(String now, String initial) {}

  static void examine(Patient patient, Findings findings) {
    Map<String, Setting> settings = new HashMap<>();
    boolean standby =
        patient.read(
            tx -> {
              tx.sql("doctor_settings")
                  .list(
                      row ->
                          settings.put(
                              row.text("name"),
                              new Setting(row.text("setting"), row.text("reset_val"))));
              return tx.sql("doctor_standby").one(row -> row.flag("standby"));
            });
    judge(standby, settings, findings);
  }

  static void judge(boolean standby, Map<String, Setting> settings, Findings findings) {
    readOnly(standby, settings, findings);
    durability(settings, findings);
    autovacuum(settings, findings);
    isolation(settings, findings);
  }

  private static boolean is(Map<String, Setting> settings, String name, String value) {
    Setting setting = settings.get(name);
    return setting != null && setting.now().equals(value);
  }

  private static void readOnly(boolean standby, Map<String, Setting> settings, Findings findings) {
    if (standby) {
      findings.problem(
          "read-only",
          "The server is a standby: it takes no writes.",
          "Connect to the primary (targetServerType=primary in the JDBC URL).");
    } else if (is(settings, "default_transaction_read_only", "on")) {
      findings.problem(
          "read-only",
          "Transactions are read-only by default (default_transaction_read_only is on).",
          "Switch it off for Waybill's role or database: ALTER ROLE ... SET"
              + " default_transaction_read_only = off.");
    } else {
      findings.ok("read-only", "The server takes writes.");
    }
  }

  private static void durability(Map<String, Setting> settings, Findings findings) {
    int before = findings.size();
    if (is(settings, "fsync", "off")) {
      findings.problem(
          "durability",
          "fsync is off: when the machine fails, the whole database may be damaged.",
          "Set fsync = on in postgresql.conf, and never trust what was written meanwhile.");
    }
    if (is(settings, "full_page_writes", "off")) {
      findings.problem(
          "durability",
          "full_page_writes is off: when the machine fails, pages may be left half-written.",
          "Set full_page_writes = on, unless the file system itself writes whole pages.");
    }
    if (is(settings, "synchronous_commit", "off")) {
      findings.warning(
          "durability",
          "synchronous_commit is off: when the server fails, the last committed transactions are"
              + " lost, also messages that were delivered already.",
          "Leave it on for transactions that enqueue and for Waybill's own: ALTER ROLE ... SET"
              + " synchronous_commit = on.");
    }
    if (findings.nothingSince(before)) {
      findings.ok("durability", "What is committed survives a crash of the server.");
    }
  }

  private static void autovacuum(Map<String, Setting> settings, Findings findings) {
    String off =
        is(settings, "autovacuum", "off")
            ? "autovacuum is off"
            : is(settings, "track_counts", "off")
                ? "track_counts is off, without which autovacuum does nothing"
                : "";
    if (off.isEmpty()) {
      findings.ok("autovacuum", "Autovacuum is on.");
    } else {
      findings.warning(
          "autovacuum",
          "Nothing removes dead rows: " + off + ".",
          "Switch it on in postgresql.conf; else tables of jobs and cursors only grow, and all"
              + " that reads them becomes slower.");
    }
  }

  /** What a new session gets: ours says for itself what it wants. */
  private static void isolation(Map<String, Setting> settings, Findings findings) {
    Setting isolation = settings.get("default_transaction_isolation");
    if (isolation == null || isolation.initial().equals("read committed")) {
      findings.ok("isolation", "Transactions are READ COMMITTED by default.");
      return;
    }
    findings.note(
        "isolation",
        "Transactions are "
            + isolation.initial().toUpperCase(Locale.ROOT)
            + " by default; Waybill's own are READ COMMITTED all the same.",
        "Your own transactions that enqueue must be ready to be repeated on serialization failures"
            + " (SQLSTATE 40001), or say themselves that they want READ COMMITTED.");
  }
}
