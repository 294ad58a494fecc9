package dev.waybill.bench.load;

import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;

/**
 * Whether what arrived is what was sent.
 *
 * @param lost messages that were sent and did not arrive
 * @param duplicates arrivals of what had arrived before
 * @param inversions first arrivals behind a later message of the same producer and key, although
 *     the producer had committed the earlier one before it sent the later
 * @param skipped messages that did not arrive although a later one of the same producer and key did
 */
public record Verdict(long lost, long duplicates, long inversions, long skipped) {

  /** Compares. The arrivals must have come to an end. */
  public static Verdict of(Mailroom sent, Arrivals arrived) {
    Map<Long, Lane> lanes = new HashMap<>();
    long duplicates = arrived.surplus();
    long inversions = 0;
    for (int i = 0; i < arrived.count(); i++) {
      Lane lane = lanes.computeIfAbsent(Parcel.lane(arrived.tag(i)), l -> new Lane());
      int number = Parcel.number(arrived.tag(i));
      if (lane.seen.get(number)) {
        duplicates++;
        continue;
      }
      lane.seen.set(number);
      if (number < lane.highest) {
        inversions++;
      }
      lane.highest = Math.max(lane.highest, number);
    }
    long seen = lanes.values().stream().mapToLong(lane -> lane.seen.cardinality()).sum();
    long highest = lanes.values().stream().mapToLong(lane -> lane.highest + 1).sum();
    return new Verdict(sent(sent) - seen, duplicates, inversions, highest - seen);
  }

  private static long sent(Mailroom mailroom) {
    return mailroom.numbers().values().stream()
        .mapToLong(counts -> Arrays.stream(counts, 0, mailroom.keys()).asLongStream().sum())
        .sum();
  }

  private static final class Lane {
    private final BitSet seen = new BitSet();
    private int highest = -1;
  }
}
