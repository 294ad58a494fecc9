package dev.waybill.cli;

import dev.waybill.cli.StatusCommand.JobType;
import dev.waybill.cli.StatusCommand.Status;
import dev.waybill.job.JobStatus;
import dev.waybill.outbox.PartitionStatus;
import dev.waybill.outbox.QueueStatus;
import dev.waybill.outbox.RecentDeliveries;
import dev.waybill.workflow.WaitingGate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** How all stands, for people and for programs. */
final class StatusText {
  private StatusText() {}

  static String text(Status status, boolean all) {
    List<String> lines = new ArrayList<>();
    addQueues(lines, status, all);
    if (!status.jobs().isEmpty()) {
      lines.add("");
      addJobs(lines, status.jobs());
    }
    addRuns(lines, status);
    return String.join(System.lineSeparator(), lines);
  }

  private static void addQueues(List<String> lines, Status status, boolean all) {
    if (status.queues().isEmpty()) {
      lines.add("No queue was ever registered here.");
      return;
    }
    lines.add(String.format(Locale.ROOT, "%-28s %9s %9s  %s", "queue", "waiting", "for", "state"));
    for (QueueStatus queue : status.queues()) {
      String longest = queue.waiting().map(StatusText::brief).orElse("-");
      lines.add(
          String.format(
              Locale.ROOT,
              "%-28s %9d %9s  %s",
              queue.name(),
              queue.lag(),
              longest,
              (queue.partitions().size() == 1
                      ? "1 partition"
                      : queue.partitions().size() + " partitions")
                  + DeliveryText.text(recent(status, queue))));
      for (PartitionStatus partition : queue.partitions()) {
        if (all || partition.lag() > 0 || partition.parked() > 0 || partition.paused()) {
          lines.add(line(partition));
        }
      }
    }
  }

  private static List<RecentDeliveries> recent(Status status, QueueStatus queue) {
    return status.recent().stream().filter(each -> each.queue().equals(queue.name())).toList();
  }

  private static void addJobs(List<String> lines, List<JobType> types) {
    Table table = new Table("jobs", "pending", "leased", "scheduled", "dead-lettered", "state");
    for (JobType type : types) {
      List<Object> row = new ArrayList<>(List.of(type.name()));
      for (JobStatus status : StatusCommand.COUNTED) {
        long count = type.counts().getOrDefault(status, 0L);
        row.add(capped(count));
      }
      row.add(type.paused() ? "paused" : "");
      table.row(row.toArray());
    }
    lines.add(table.text());
  }

  private static void addRuns(List<String> lines, Status status) {
    List<String> parts = new ArrayList<>();
    status
        .runs()
        .forEach(
            (state, count) -> {
              if (count > 0) {
                parts.add(capped(count) + " " + JobText.lower(state));
              }
            });
    if (!parts.isEmpty()) {
      lines.add("");
      lines.add("runs of workflows: " + String.join(", ", parts));
    }
    int gates = status.gates().size();
    if (gates > 0) {
      WaitingGate longest = status.gates().get(0);
      lines.add(
          "gates that wait for somebody: "
              + capped(gates)
              + ", the longest since "
              + longest.since()
              + " ("
              + Visible.line(longest.step())
              + " of "
              + longest.run()
              + ")");
    }
  }

  private static String capped(long count) {
    return count < StatusCommand.MOST ? String.valueOf(count) : count + "+";
  }

  private static String line(PartitionStatus partition) {
    Duration waiting = partition.waiting();
    return String.format(
        Locale.ROOT,
        "  %-26s %9d %9s  %s",
        "partition " + partition.number(),
        partition.lag(),
        waiting == null ? "-" : brief(waiting),
        state(partition) + (partition.parked() == 0 ? "" : "; " + partition.parked() + " parked"));
  }

  /** The one reason that matters most. */
  private static String state(PartitionStatus partition) {
    if (partition.paused()) {
      return "paused: waybill queues resume";
    }
    if (partition.leaseOwner() != null) {
      return "delivered by "
          + Visible.line(partition.leaseOwner())
          + ", whose lease lasts "
          + brief(partition.leaseFor());
    }
    String failed =
        partition.lastError() == null
            ? ""
            : "message "
                + (partition.processed() + 1)
                + " failed "
                + partition.attempts()
                + " times: "
                + Visible.line(partition.lastError());
    if (!partition.retryIn().isZero()) {
      return "again in " + brief(partition.retryIn()) + ", " + failed;
    }
    if (partition.lag() == 0) {
      return "idle";
    }
    return "waiting for a process that serves this queue" + (failed.isEmpty() ? "" : "; " + failed);
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

  static Map<String, Object> document(Status status) {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("queues", queues(status));
    document.put("jobs", status.jobs().stream().map(StatusText::document).toList());
    Map<String, Object> runs = new LinkedHashMap<>();
    status.runs().forEach((state, count) -> runs.put(JobText.lower(state), count));
    document.put("runs", runs);
    document.put("waiting_gates", status.gates().size());
    return document;
  }

  private static Map<String, Object> document(JobType type) {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("type", type.name());
    document.put("paused", type.paused());
    type.counts().forEach((status, count) -> document.put(JobText.lower(status), count));
    return document;
  }

  private static List<Map<String, Object>> queues(Status status) {
    List<Map<String, Object>> list = new ArrayList<>();
    for (QueueStatus queue : status.queues()) {
      Map<String, Object> document = new LinkedHashMap<>();
      document.put("queue", queue.name());
      document.put("lag", queue.lag());
      document.put("waiting_millis", queue.waiting().map(Duration::toMillis).orElse(0L));
      List<RecentDeliveries> recent = recent(status, queue);
      if (!recent.isEmpty()) {
        document.put("delivery", DeliveryText.document(recent));
      }
      document.put("partitions", queue.partitions().stream().map(StatusText::document).toList());
      list.add(document);
    }
    return list;
  }

  private static Map<String, Object> document(PartitionStatus partition) {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("partition", partition.number());
    document.put("sequence", partition.sequence());
    document.put("processed", partition.processed());
    document.put("lag", partition.lag());
    document.put("parked", partition.parked());
    document.put("attempts", partition.attempts());
    document.put("paused", partition.paused());
    document.put("retry_in_millis", partition.retryIn().toMillis());
    document.put("lease_epoch", partition.leaseEpoch());
    document.put("lease_for_millis", partition.leaseFor().toMillis());
    String owner = partition.leaseOwner();
    if (owner != null) {
      document.put("lease_owner", owner);
    }
    String error = partition.lastError();
    if (error != null) {
      document.put("last_error", error);
    }
    return document;
  }
}
