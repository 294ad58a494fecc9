package dev.waybill.internal.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.Finding;
import dev.waybill.Finding.Severity;
import dev.waybill.internal.doctor.PostgresSettings.Setting;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Settings that belong to a whole server: no test may change those of a server it shares. */
class SettingsTopicsTest {
  private static List<Finding> postgres(boolean standby, String name, String value) {
    Findings findings = new Findings();
    PostgresSettings.judge(standby, Map.of(name, new Setting(value, value)), findings);
    return findings.list();
  }

  private static List<Finding> mySql(Map<String, String> settings) {
    Findings findings = new Findings();
    MySqlSettings.judge(settings, findings);
    return findings.list();
  }

  private static void assertOnly(List<Finding> findings, String code, Severity severity) {
    assertThat(findings)
        .filteredOn(finding -> finding.severity() != Severity.OK)
        .singleElement()
        .satisfies(
            finding -> {
              assertThat(finding.code()).isEqualTo(code);
              assertThat(finding.severity()).isEqualTo(severity);
              assertThat(finding.remedy()).isNotEmpty();
            });
  }

  @ParameterizedTest
  @CsvSource({
    "fsync, off, durability, PROBLEM",
    "full_page_writes, off, durability, PROBLEM",
    "synchronous_commit, off, durability, WARNING",
    "autovacuum, off, autovacuum, WARNING",
    "track_counts, off, autovacuum, WARNING",
    "default_transaction_isolation, serializable, isolation, NOTE",
    "default_transaction_read_only, on, read-only, PROBLEM"
  })
  void postgresql(String name, String value, String code, Severity severity) {
    assertOnly(postgres(false, name, value), code, severity);
  }

  @ParameterizedTest
  @CsvSource({
    "fsync, on",
    "synchronous_commit, local",
    "synchronous_commit, remote_apply",
    "default_transaction_isolation, read committed"
  })
  void postgresqlAsItShouldBe(String name, String value) {
    assertThat(postgres(false, name, value))
        .isNotEmpty()
        .allMatch(finding -> finding.severity() == Severity.OK);
  }

  @Test
  void aStandbyTakesNoWrites() {
    assertOnly(postgres(true, "fsync", "on"), "read-only", Severity.PROBLEM);
  }

  @ParameterizedTest
  @CsvSource({
    "innodb_flush_log_at_trx_commit, 0, durability, WARNING",
    "innodb_flush_log_at_trx_commit, 2, durability, WARNING",
    "transaction_isolation, SERIALIZABLE, isolation, WARNING",
    "tx_isolation, READ-UNCOMMITTED, isolation, WARNING",
    "max_allowed_packet, 1048576, packet-size, WARNING",
    "read_only, ON, read-only, PROBLEM",
    "super_read_only, ON, read-only, PROBLEM",
    "innodb_read_only, ON, read-only, PROBLEM",
    "wsrep_on, ON, galera, NOTE"
  })
  void mySqlAndMariaDb(String name, String value, String code, Severity severity) {
    assertOnly(mySql(Map.of(name, value)), code, severity);
  }

  @Test
  void theBinaryLogMattersOnlyIfThereIsOne() {
    assertOnly(mySql(Map.of("log_bin", "ON", "sync_binlog", "0")), "durability", Severity.WARNING);
    assertThat(mySql(Map.of("log_bin", "OFF", "sync_binlog", "0")))
        .allMatch(finding -> finding.severity() == Severity.OK);
    assertThat(mySql(Map.of("transaction_isolation", "REPEATABLE-READ", "wsrep_on", "OFF")))
        .allMatch(finding -> finding.severity() == Severity.OK);
  }
}
