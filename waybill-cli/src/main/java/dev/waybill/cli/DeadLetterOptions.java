package dev.waybill.cli;

import dev.waybill.outbox.DeadLetterFilter;
import dev.waybill.outbox.DeadLetterStatus;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which dead letters are meant. */
final class DeadLetterOptions {
  @Option(names = "--queue", paramLabel = "NAME", description = "Of this queue.")
  private @Nullable String queue;

  @Option(names = "--partition", paramLabel = "N", description = "Of this partition of the queue.")
  private @Nullable Integer partition;

  @Option(names = "--type", paramLabel = "TYPE", description = "Of this type.")
  private @Nullable String type;

  @Option(
      names = "--failed-after",
      paramLabel = "TIME",
      description = "Failed at or after this time, such as 2030-01-31T12:00:00Z.")
  private @Nullable Instant failedAfter;

  @Option(names = "--failed-before", paramLabel = "TIME", description = "Failed before this time.")
  private @Nullable Instant failedBefore;

  @Option(
      names = "--id",
      split = ",",
      paramLabel = "ID",
      description = "Only these; may be repeated.")
  private List<Long> ids = new ArrayList<>();

  @Option(
      names = "--limit",
      defaultValue = "100",
      paramLabel = "N",
      description = "At most so many (${DEFAULT-VALUE}).")
  private int limit;

  DeadLetterFilter filter() {
    DeadLetterFilter filter = DeadLetterFilter.defaults().limit(limit);
    if (queue != null) {
      filter = partition == null ? filter.queue(queue) : filter.partition(queue, partition);
    }
    if (type != null) {
      filter = filter.type(type);
    }
    if (failedAfter != null) {
      filter = filter.failedAfter(failedAfter);
    }
    if (failedBefore != null) {
      filter = filter.failedBefore(failedBefore);
    }
    return ids.isEmpty() ? filter : filter.ids(ids);
  }

  DeadLetterFilter filter(@Nullable DeadLetterStatus status) {
    return status == null ? filter().anyStatus() : filter().status(status);
  }
}
