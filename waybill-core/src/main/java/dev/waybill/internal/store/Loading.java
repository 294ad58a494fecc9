package dev.waybill.internal.store;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Puts payloads into freights, to be inserted by one statement. For one thread. */
public final class Loading {
  private final Supplier<UUID> freightIds;
  private final List<UUID> ids = new ArrayList<>();
  private final List<UUID> jobs = new ArrayList<>();
  private final List<@Nullable String> sizes = new ArrayList<>();
  private final StringBuilder line = new StringBuilder();
  private byte[] payload = new byte[1 << 16];
  private int length;
  private long[] ends = new long[64];

  /** Of nothing, with ids from there for the freights. */
  public Loading(Supplier<UUID> freightIds) {
    this.freightIds = freightIds;
  }

  /** Adds a job; gives its id. */
  public UUID add(String body) {
    int place = jobs.size() % FreightId.MOST_JOBS;
    if (place == 0) {
      endFreight();
      ids.add(freightIds.get());
    }
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    if (length + bytes.length > payload.length) {
      payload = Arrays.copyOf(payload, Math.max(2 * payload.length, length + bytes.length));
    }
    System.arraycopy(bytes, 0, payload, length, bytes.length);
    length += bytes.length;
    line.append(place == 0 ? "" : " ").append(bytes.length);
    UUID job = FreightId.job(ids.get(ids.size() - 1), place);
    jobs.add(job);
    return job;
  }

  private void endFreight() {
    if (line.length() > 0) {
      sizes.add(line.toString());
      line.setLength(0);
      if (sizes.size() == ends.length) {
        ends = Arrays.copyOf(ends, 2 * ends.length);
      }
      ends[sizes.size() - 1] = length;
    }
  }

  /** Bytes so far. */
  public int size() {
    return length;
  }

  List<UUID> ids() {
    return ids;
  }

  List<@Nullable String> sizes() {
    endFreight();
    return sizes;
  }

  /** How many jobs each freight has. */
  long[] jobs() {
    long[] counts = new long[ids.size()];
    Arrays.fill(counts, FreightId.MOST_JOBS);
    counts[counts.length - 1] = (jobs.size() - 1L) % FreightId.MOST_JOBS + 1;
    return counts;
  }

  /** How many bytes come before each freight's. */
  long[] behinds() {
    endFreight();
    long[] behinds = new long[ids.size()];
    System.arraycopy(ends, 0, behinds, 1, behinds.length - 1);
    return behinds;
  }

  /** How many bytes each freight has. */
  long[] bytes() {
    long[] bytes = behinds();
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = ends[i] - bytes[i];
    }
    return bytes;
  }

  byte[] payload() {
    return Arrays.copyOf(payload, length);
  }
}
