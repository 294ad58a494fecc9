package dev.waybill.console;

import dev.waybill.outbox.PartitionStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;

/** The one reason that matters most why a partition is as it is. */
final class States {
  private States() {}

  static Doc of(PartitionStatus partition, Instant at) {
    String owner = partition.leaseOwner();
    if (partition.paused()) {
      return state("paused", "Paused by an operator until somebody resumes it");
    }
    if (partition.lag() > 0 && partition.attempts() > 0 && !partition.retryIn().isZero()) {
      return state("retrying", blocked(partition) + ".").put("until", at.plus(partition.retryIn()));
    }
    if (owner != null) {
      return state("delivering", "Leased by " + owner).put("until", at.plus(partition.leaseFor()));
    }
    if (partition.lag() == 0) {
      return state("idle", "Nothing waits");
    }
    return partition.attempts() > 0 && partition.lastError() != null
        ? state("retrying", blocked(partition) + ".")
        : state("waiting", "Waits for a process that serves this queue");
  }

  private static Doc state(String name, String why) {
    return Doc.of("state", name).put("why", why);
  }

  /** Which message is in the way of the others. */
  static String blocked(PartitionStatus partition) {
    long behind = partition.lag() - 1;
    return "Message "
        + (partition.processed() + 1)
        + " failed "
        + (partition.attempts() == 1 ? "once" : partition.attempts() + " times")
        + (partition.lastError() == null ? "" : " (" + partition.lastError() + ")")
        + (behind > 0 ? " and blocks " + behind + " behind it" : "");
  }

  static String brief(Duration duration) {
    double seconds = duration.toMillis() / 1000.0;
    if (seconds < 60) {
      return String.format(Locale.ROOT, "%.1f s", seconds);
    }
    return seconds < 7200
        ? String.format(Locale.ROOT, "%d min", (long) seconds / 60)
        : String.format(Locale.ROOT, "%d h", (long) seconds / 3600);
  }
}
