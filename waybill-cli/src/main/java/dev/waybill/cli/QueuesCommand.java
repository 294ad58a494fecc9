package dev.waybill.cli;

import dev.waybill.outbox.Outbox;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code waybill queues}: pause and resume their delivery, in all processes. */
@Command(
    name = "queues",
    description = "Pause and resume the delivery of queues, in all processes.",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "COMMAND")
final class QueuesCommand extends Parent {
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
