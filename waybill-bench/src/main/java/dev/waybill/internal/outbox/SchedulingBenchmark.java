package dev.waybill.internal.outbox;

import dev.waybill.internal.loop.Time;
import dev.waybill.outbox.EnqueueMessage;
import dev.waybill.outbox.Partitions;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** What a message costs between the databases' statements, on its way to the sequencer. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class SchedulingBenchmark {
  private static final int PARTITIONS = 16;

  private final DirtyPartitions dirty =
      new DirtyPartitions(Time.system(), () -> {}, () -> 0.5, Gathering.of(10));
  private final List<Long> ids = LongStream.range(0, PARTITIONS).boxed().toList();
  private final Validation validation = new Validation(65_536);
  private final List<EnqueueMessage> one =
      List.of(EnqueueMessage.of("order.placed", new byte[256]).key("customer-4711"));

  /** A partition is marked, claimed and done. */
  @Benchmark
  @OperationsPerInvocation(PARTITIONS)
  public int dirtyPartition() {
    for (long id : ids) {
      dirty.mark(List.of(id));
    }
    try (DirtyPartitions.Claim claim = dirty.take(PARTITIONS)) {
      claim.done(claim.ids(), true);
      return claim.ids().size();
    }
  }

  /** A message is judged before any SQL, and its key gives it a partition. */
  @Benchmark
  public int[] validation() {
    return validation.check("orders", one, queue -> Partitions.of(PARTITIONS));
  }
}
