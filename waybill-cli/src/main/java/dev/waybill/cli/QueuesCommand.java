package dev.waybill.cli;

import dev.waybill.outbox.Outbox;
import dev.waybill.outbox.PartitionStatus;
import dev.waybill.outbox.QueueStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code waybill queues}: list them, pause and resume their delivery, in all processes. */
@Command(
    name = "queues",
    description = "List queues; pause and resume their delivery, in all processes.",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "COMMAND")
final class QueuesCommand extends Parent {
  @Command(
      name = "list",
      description = "List the queues; status shows their partitions.",
      mixinStandardHelpOptions = true)
  int list(@Mixin Operator operator, @Mixin Output output) throws Exception {
    return operator.with(
        outbox -> {
          Table table = new Table("queue", "partitions", "paused", "waiting", "for");
          List<Map<String, Object>> documents = new ArrayList<>();
          for (QueueStatus queue : outbox.status()) {
            long paused = queue.partitions().stream().filter(PartitionStatus::paused).count();
            int partitions = queue.partitions().size();
            table.row(
                queue.name(),
                partitions,
                paused == 0 ? "" : paused == partitions ? "all" : String.valueOf(paused),
                queue.lag(),
                queue.waiting().map(StatusText::brief).orElse(""));
            documents.add(
                Map.of(
                    "queue", queue.name(),
                    "partitions", partitions,
                    "paused", paused,
                    "lag", queue.lag(),
                    "waiting_millis", queue.waiting().map(Duration::toMillis).orElse(0L)));
          }
          output.show(table.text(), Map.of("queues", documents));
          return ExitCode.FINE;
        });
  }

  @Command(
      name = "pause",
      description = "Stop the delivery; messages are still enqueued and numbered.",
      mixinStandardHelpOptions = true)
  int pause(
      @Mixin Operator operator,
      @Mixin Output output,
      @Parameters(paramLabel = "QUEUE", description = "The queue's name.") String queue,
      @Option(
              names = "--partition",
              defaultValue = "-1",
              paramLabel = "N",
              description = "One partition only.")
          int partition)
      throws Exception {
    return operator.with(
        outbox -> {
          pause(outbox, queue, partition);
          output.show("Paused " + what(queue, partition) + ".", document(queue, partition, true));
          return ExitCode.FINE;
        });
  }

  private static void pause(Outbox outbox, String queue, int partition) {
    if (partition < 0) {
      outbox.pause(queue);
    } else {
      outbox.pause(queue, partition);
    }
  }

  @Command(
      name = "resume",
      description = "Let the delivery go on.",
      mixinStandardHelpOptions = true)
  int resume(
      @Mixin Operator operator,
      @Mixin Output output,
      @Parameters(paramLabel = "QUEUE", description = "The queue's name.") String queue,
      @Option(
              names = "--partition",
              defaultValue = "-1",
              paramLabel = "N",
              description = "One partition only.")
          int partition)
      throws Exception {
    return operator.with(
        outbox -> {
          resume(outbox, queue, partition);
          output.show("Resumed " + what(queue, partition) + ".", document(queue, partition, false));
          return ExitCode.FINE;
        });
  }

  private static void resume(Outbox outbox, String queue, int partition) {
    if (partition < 0) {
      outbox.resume(queue);
    } else {
      outbox.resume(queue, partition);
    }
  }

  private static String what(String queue, int partition) {
    return partition < 0 ? queue : "partition " + partition + " of " + queue;
  }

  private static Map<String, Object> document(String queue, int partition, boolean paused) {
    return partition < 0
        ? Map.of("queue", queue, "paused", paused)
        : Map.of("queue", queue, "partition", partition, "paused", paused);
  }
}
