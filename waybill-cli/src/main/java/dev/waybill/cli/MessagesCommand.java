package dev.waybill.cli;

import dev.waybill.outbox.OutboxMessage;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** {@code waybill messages}: what waits in a queue. */
@Command(
    name = "messages",
    description = "Look at messages that wait.",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "COMMAND")
final class MessagesCommand extends Parent {
  private static final int MOST = 1_000;

  @Command(
      name = "peek",
      description = {
        "Show what waits, in order, without taking it.",
        "Messages that have no number yet, that are delayed or that are parked are not shown."
      },
      mixinStandardHelpOptions = true)
  int peek(
      @Mixin Operator operator,
      @Mixin Output output,
      @Parameters(paramLabel = "QUEUE", description = "The queue's name.") String queue,
      @Option(
              names = "--partition",
              defaultValue = "-1",
              paramLabel = "N",
              description = "One partition only; default: all, one after the other.")
          int partition,
      @Option(
              names = "--after",
              defaultValue = "0",
              paramLabel = "SEQ",
              description = "Only messages with a greater number.")
          long after,
      @Option(
              names = "--limit",
              defaultValue = "10",
              paramLabel = "N",
              description = "At most so many (${DEFAULT-VALUE}).")
          int limit,
      @Option(names = "--payload", description = "Payloads, keys and headers, too.")
          boolean payload)
      throws Exception {
    if (limit < 1 || limit > MOST) {
      throw new ParameterException(
          output.command(), "--limit must be between 1 and " + MOST + ", but is " + limit + ".");
    }
    return operator.with(
        outbox -> {
          int last = partition;
          if (partition < 0) {
            last =
                outbox.status().stream()
                    .filter(each -> each.name().equals(queue))
                    .mapToInt(each -> each.partitions().size() - 1)
                    .findFirst()
                    .orElse(0); // The outbox itself says that there is no such queue.
          }
          List<OutboxMessage> found = new ArrayList<>();
          for (int i = Math.max(0, partition); i <= last && found.size() < limit; i++) {
            found.addAll(outbox.peek(queue, i, after, limit - found.size()));
          }
          output.show(
              MessageText.table(found, payload),
              Map.of(
                  "messages",
                  found.stream().map(each -> MessageText.document(each, payload)).toList()));
          return ExitCode.FINE;
        });
  }
}
