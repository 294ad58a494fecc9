package dev.waybill.internal.doctor;

import java.time.Duration;

/**
 * From where on something is worth telling, and how long to wait for it.
 *
 * @param skewNote clocks that differ by more
 * @param skewWarning clocks that differ by so much that it is more than a note
 * @param oldTransaction transactions that are open for longer
 * @param oldSlot replication slots that hold on to a transaction so many transactions ago
 * @param connectionsPercent how many of the connections may be in use
 * @param bulkyFile SQLite files from this size on are looked at for free pages
 * @param patience how long a lock of somebody else is waited for; MySQL and MariaDB know whole
 *     seconds only
 */
public record Thresholds(
    Duration skewNote,
    Duration skewWarning,
    Duration oldTransaction,
    long oldSlot,
    int connectionsPercent,
    long bulkyFile,
    Duration patience) {

  /** Those for everybody. */
  public static Thresholds standard() {
    return new Thresholds(
        Duration.ofMillis(250),
        Duration.ofSeconds(1),
        Duration.ofMinutes(5),
        1_000_000,
        90,
        100L << 20,
        Duration.ofSeconds(2));
  }

  /** With another age of transactions. */
  public Thresholds withOldTransaction(Duration age) {
    return new Thresholds(
        skewNote, skewWarning, age, oldSlot, connectionsPercent, bulkyFile, patience);
  }

  /** With another share of connections. */
  public Thresholds withConnectionsPercent(int percent) {
    return new Thresholds(
        skewNote, skewWarning, oldTransaction, oldSlot, percent, bulkyFile, patience);
  }

  /** With another size of files. */
  public Thresholds withBulkyFile(long bytes) {
    return new Thresholds(
        skewNote, skewWarning, oldTransaction, oldSlot, connectionsPercent, bytes, patience);
  }

  /** With other patience. */
  public Thresholds withPatience(Duration time) {
    return new Thresholds(
        skewNote, skewWarning, oldTransaction, oldSlot, connectionsPercent, bulkyFile, time);
  }
}
