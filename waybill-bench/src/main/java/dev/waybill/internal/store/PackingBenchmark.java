package dev.waybill.internal.store;

import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** The ids of a full row of outgoing as bytes, per message. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class PackingBenchmark {
  private static final int SEGMENT = MessageStore.SEGMENT;

  private final long[] ids =
      LongStream.range(0, SEGMENT).map(i -> 5_000_000_000L + 16 * i).toArray();
  private final byte[] packed = PackedIds.pack(ids, 0, SEGMENT);

  @Benchmark
  @OperationsPerInvocation(200)
  public byte[] pack() {
    return PackedIds.pack(ids, 0, SEGMENT);
  }

  @Benchmark
  @OperationsPerInvocation(200)
  public long[] unpack() {
    return PackedIds.unpack(packed, SEGMENT);
  }
}
