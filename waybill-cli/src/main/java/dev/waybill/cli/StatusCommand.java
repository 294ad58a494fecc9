package dev.waybill.cli;

import dev.waybill.outbox.Outbox;
import dev.waybill.outbox.PartitionStatus;
import dev.waybill.outbox.QueueStatus;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code waybill status}: how the queues stand, and why those that do not move do not. */
@Command(
    name = "status",
    description = "Show the queues: what waits, who delivers it, and why something does not move.",
    mixinStandardHelpOptions = true)
final class StatusCommand implements Callable<Integer> {
  @Mixin private Operator operator = new Operator();
  @Mixin private Output output = new Output();

  @Option(names = "--watch", description = "Show it again every second, until interrupted.")
  private boolean watch;

  @Option(names = "--all", description = "Idle partitions as well.")
  private boolean all;

  @Override
  public Integer call() throws Exception {
    return operator.with(this::run);
  }

  private int run(Outbox outbox) throws InterruptedException {
    show(outbox.status());
    while (watch) {
      TimeUnit.SECONDS.sleep(1);
      if (Ansi.AUTO.enabled()) {
        PrintWriter out = output.command().getOut();
        out.print("\033[H\033[2J");
        out.flush();
      }
      show(outbox.status());
    }
    return ExitCode.FINE;
  }

  private void show(List<QueueStatus> queues) {
    output.show(text(queues), document(queues));
  }

  private String text(List<QueueStatus> queues) {
    if (queues.isEmpty()) {
      return "No queue was ever registered here.";
    }
    List<String> lines = new ArrayList<>();
    lines.add(String.format(Locale.ROOT, "%-28s %9s %9s  %s", "queue", "waiting", "for", "state"));
    for (QueueStatus queue : queues) {
      String longest = queue.waiting().map(StatusCommand::brief).orElse("-");
      lines.add(
          String.format(
              Locale.ROOT,
              "%-28s %9d %9s  %s",
              queue.name(),
              queue.lag(),
              longest,
              queue.partitions().size() == 1
                  ? "1 partition"
                  : queue.partitions().size() + " partitions"));
      for (PartitionStatus partition : queue.partitions()) {
        if (all || partition.lag() > 0 || partition.parked() > 0 || partition.paused()) {
          lines.add(line(partition));
        }
      }
    }
    return String.join(System.lineSeparator(), lines);
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
          + partition.leaseOwner()
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
                + partition.lastError();
    if (!partition.retryIn().isZero()) {
      return "again in " + brief(partition.retryIn()) + ", " + failed;
    }
    if (partition.lag() == 0) {
      return "idle";
    }
    return "waiting for a process that serves this queue" + (failed.isEmpty() ? "" : "; " + failed);
  }

  private static String brief(Duration duration) {
    double seconds = duration.toMillis() / 1000.0;
    if (seconds < 60) {
      return String.format(Locale.ROOT, "%.1f s", seconds);
    }
    return seconds < 7200
        ? String.format(Locale.ROOT, "%d min", (long) seconds / 60)
        : String.format(Locale.ROOT, "%d h", (long) seconds / 3600);
  }

  private static Map<String, Object> document(List<QueueStatus> queues) {
    List<Map<String, Object>> list = new ArrayList<>();
    for (QueueStatus queue : queues) {
      Map<String, Object> document = new LinkedHashMap<>();
      document.put("queue", queue.name());
      document.put("lag", queue.lag());
      document.put("waiting_millis", queue.waiting().map(Duration::toMillis).orElse(0L));
      document.put("partitions", queue.partitions().stream().map(StatusCommand::document).toList());
      list.add(document);
    }
    return Map.of("queues", list);
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
