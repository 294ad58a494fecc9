package dev.waybill.internal.store;

import dev.waybill.internal.sql.Query;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The requests of one round as arrays, an element each; null stands for what is not asked. */
final class RoundParameters {
  private final List<@Nullable Long> partitions = new ArrayList<>();
  private final List<@Nullable Long> epochs = new ArrayList<>();
  private final List<@Nullable Long> processedSeqs = new ArrayList<>();
  private final List<@Nullable Long> attempts = new ArrayList<>();
  private final List<@Nullable String> lastErrors = new ArrayList<>();
  private final List<@Nullable Long> delays = new ArrayList<>();
  private final List<@Nullable Long> durations = new ArrayList<>();
  private final List<@Nullable Long> messages = new ArrayList<>();

  RoundParameters(List<LeaseRequest> requests) {
    for (LeaseRequest request : requests) {
      if (request instanceof LeaseRequest.Take take) {
        partitions.add(take.partitionId());
        epochs.add(null);
        move(null);
        durations.add(MessageStore.micros(take.duration()));
        messages.add((long) take.messages());
      } else if (request instanceof LeaseRequest.Next next) {
        held(next.lease());
        move(new CursorMove(next.processedSeq(), 1, null, Duration.ZERO));
        durations.add(MessageStore.micros(next.lease().duration()));
        messages.add((long) next.messages());
      } else if (request instanceof LeaseRequest.End end) {
        held(end.lease());
        move(end.move());
        durations.add(null);
        messages.add(0L);
      }
    }
  }

  private void held(Lease lease) {
    partitions.add(lease.partitionId());
    epochs.add(lease.epoch());
  }

  private void move(@Nullable CursorMove move) {
    processedSeqs.add(move == null ? null : move.processedSeq());
    attempts.add(move == null ? null : (long) move.attempts());
    lastErrors.add(move == null ? null : move.lastError());
    delays.add(move == null ? null : MessageStore.micros(move.delay()));
  }

  Query bind(Query query) {
    return bindEnds(query).longs("durations", durations).longs("messages", messages);
  }

  /** What ends of leases need. */
  Query bindEnds(Query query) {
    return query
        .longs("partitions", partitions)
        .longs("epochs", epochs)
        .longs("processed_seqs", processedSeqs)
        .longs("attempts", attempts)
        .texts("last_errors", lastErrors)
        .longs("delays", delays);
  }
}
