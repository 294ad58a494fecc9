package dev.waybill.bench.load;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Arrivals in a file, so that those of several processes can be put in one order. */
public final class ArrivalLog {
  private record Arrival(long tag, long due, long time) {}

  private ArrivalLog() {}

  /** Writes what arrived so far. */
  public static void write(Arrivals arrivals, Path file) throws IOException {
    try (var out = new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(file)))) {
      int count = arrivals.count();
      out.writeInt(count);
      for (int i = 0; i < count; i++) {
        out.writeLong(arrivals.tag(i));
        out.writeLong(arrivals.due(i));
        out.writeLong(arrivals.time(i));
      }
    }
  }

  /** What arrived here and there, by time. */
  public static Arrivals merged(Arrivals here, Path there) throws IOException {
    List<Arrival> all = new ArrayList<>();
    for (int i = 0; i < here.count(); i++) {
      all.add(new Arrival(here.tag(i), here.due(i), here.time(i)));
    }
    try (var in = new DataInputStream(new BufferedInputStream(Files.newInputStream(there)))) {
      for (int left = in.readInt(); left > 0; left--) {
        all.add(new Arrival(in.readLong(), in.readLong(), in.readLong()));
      }
    }
    all.sort(Comparator.comparingLong(Arrival::time));
    Arrivals merged = new Arrivals(all.size());
    all.forEach(arrival -> merged.add(arrival.tag(), arrival.due(), arrival.time()));
    return merged;
  }
}
