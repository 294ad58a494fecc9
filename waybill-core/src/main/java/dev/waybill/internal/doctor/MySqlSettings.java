package dev.waybill.internal.doctor;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Whether the server takes writes, keeps what is committed, and lets our statements through. */
final class MySqlSettings {
  /** A statement holds payloads of 1 MB at most, escaped twice as much, and their headers. */
  private static final long PACKET = 4L << 20;

  private static final Set<String> CORRECT = Set.of("READ-COMMITTED", "REPEATABLE-READ");

  private MySqlSettings() {}

  static void examine(Patient patient, Findings findings) {
    Map<String, String> settings = new HashMap<>();
    patient.read(
        tx ->
            tx.sql("doctor_settings")
                .list(
                    row ->
                        settings.put(
                            row.text("Variable_name").toLowerCase(Locale.ROOT),
                            row.text("Value"))));
    judge(settings, findings);
  }

  static void judge(Map<String, String> settings, Findings findings) {
    readOnly(settings, findings);
    durability(settings, findings);
    isolation(settings, findings);
    packet(settings, findings);
    if (isOn(settings, "wsrep_on")) {
      findings.note(
          "galera",
          "The server is part of a Galera cluster: a commit may be refused because another node"
              + " changed the same rows.",
          "Lead all processes with Waybill to the same node, and be ready to repeat transactions.");
    }
  }

  private static boolean isOn(Map<String, String> settings, String name) {
    return !Set.of("OFF", "0", "")
        .contains(settings.getOrDefault(name, "").toUpperCase(Locale.ROOT));
  }

  private static void readOnly(Map<String, String> settings, Findings findings) {
    for (String name : new String[] {"super_read_only", "read_only", "innodb_read_only"}) {
      if (isOn(settings, name)) {
        findings.problem(
            "read-only",
            "The server takes no writes: " + name + " is on.",
            "Connect to the primary, or switch it off if this is meant to be one.");
        return;
      }
    }
    findings.ok("read-only", "The server takes writes.");
  }

  private static void durability(Map<String, String> settings, Findings findings) {
    int before = findings.size();
    String flush = settings.getOrDefault("innodb_flush_log_at_trx_commit", "1");
    if (!flush.equals("1")) {
      findings.warning(
          "durability",
          "innodb_flush_log_at_trx_commit is "
              + flush
              + ": when the "
              + (flush.equals("2") ? "machine" : "server")
              + " fails, about the last second of committed transactions is lost, also messages"
              + " that were delivered already.",
          "Set innodb_flush_log_at_trx_commit = 1, in my.cnf and with SET GLOBAL.");
    }
    if (isOn(settings, "log_bin") && settings.getOrDefault("sync_binlog", "1").equals("0")) {
      findings.warning(
          "durability",
          "sync_binlog is 0: when the machine fails, the binary log may lack committed"
              + " transactions, which replicas then never get.",
          "Set sync_binlog = 1, in my.cnf and with SET GLOBAL.");
    }
    if (findings.nothingSince(before)) {
      findings.ok("durability", "What is committed survives a crash of the server.");
    }
  }

  private static void isolation(Map<String, String> settings, Findings findings) {
    String level =
        settings.getOrDefault("transaction_isolation", settings.getOrDefault("tx_isolation", ""));
    if (level.isEmpty() || CORRECT.contains(level)) {
      findings.ok(
          "isolation",
          "Transactions are "
              + (level.isEmpty() ? "as the server has it" : level)
              + " by default; Waybill's own are READ-COMMITTED.");
      return;
    }
    findings.warning(
        "isolation",
        "Transactions are "
            + level
            + " by default: Waybill's own are READ-COMMITTED, but yours that enqueue"
            + (level.equals("SERIALIZABLE")
                ? " lock all that they read and may have to wait for each other."
                : " may see what others have not committed."),
        "Have your own transactions say that they want READ-COMMITTED or REPEATABLE-READ, or set"
            + " transaction_isolation.");
  }

  private static void packet(Map<String, String> settings, Findings findings) {
    String packet = settings.getOrDefault("max_allowed_packet", "");
    if (!packet.matches("\\d+")) {
      return;
    }
    long bytes = Long.parseLong(packet);
    if (bytes < PACKET) {
      findings.warning(
          "packet-size",
          "max_allowed_packet is " + bytes + " bytes: batches of messages may not fit.",
          "Set max_allowed_packet to at least "
              + PACKET
              + ", and to more than twice the largest payload if you raised maxPayload.");
    } else {
      findings.ok("packet-size", "max_allowed_packet is " + Wording.megabytes(bytes) + ".");
    }
  }
}
