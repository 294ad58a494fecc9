package dev.waybill.bench.load;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** Writes parcels, and knows how many of each kind it wrote. One thread per producer. */
public final class Mailroom {
  private static final String ALPHABET =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

  private final int keys;
  private final String filler;
  private final Map<Integer, int[]> numbers = new ConcurrentHashMap<>();
  private final AtomicLong written = new AtomicLong();

  /** For texts of that many bytes, over that many keys. */
  public Mailroom(int keys, int bytes) {
    this.keys = keys;
    // Text that no server compresses away, and the same in every run.
    Random random = new Random(bytes);
    StringBuilder text = new StringBuilder();
    for (int i = Parcel.fillerFor(bytes); i > 0; i--) {
      text.append(ALPHABET.charAt(random.nextInt(ALPHABET.length())));
    }
    this.filler = text.toString();
  }

  /** The producer's next parcel; its keys take turns. */
  public Parcel next(int producer, long due) {
    int[] counts = numbers.computeIfAbsent(producer, p -> new int[keys + 1]);
    int key = (counts[keys]++ + producer) % keys;
    written.incrementAndGet();
    return Parcel.of(producer, key, counts[key]++, due, filler);
  }

  /** The producer's next parcels. */
  public List<Parcel> next(int producer, long due, int count) {
    List<Parcel> parcels = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      parcels.add(next(producer, due));
    }
    return parcels;
  }

  /** How many parcels were written. */
  public long written() {
    return written.get();
  }

  int keys() {
    return keys;
  }

  /** How many parcels each producer wrote for each key. */
  Map<Integer, int[]> numbers() {
    return numbers;
  }
}
