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
  /** What the server keeps apart it keeps in pieces of so many bytes, a row each. */
  private static final int PIECE = 1_996;

  /** With so many jobs a freight does not begin another piece. */
  private static final int ENOUGH = 12;

  private final Supplier<UUID> freightIds;
  private final List<UUID> ids = new ArrayList<>();
  private final List<@Nullable Long> jobs = new ArrayList<>();
  private final List<@Nullable Long> behinds = new ArrayList<>();
  private final List<@Nullable Long> lengths = new ArrayList<>();
  private final List<@Nullable String> sizes = new ArrayList<>();
  private final StringBuilder line = new StringBuilder();
  private @Nullable UUID freight;
  private int place;
  private int behind;
  private byte[] payload;
  private int length;

  /** Of nothing yet, and about so many bytes in the end, with ids from there for the freights. */
  public Loading(Supplier<UUID> freightIds, int expected) {
    this.freightIds = freightIds;
    this.payload = new byte[expected];
  }

  /** Adds a job; gives its id. */
  public UUID add(String body) {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    UUID current = freight;
    if (current == null || isFull(bytes.length)) {
      endFreight();
      current = freightIds.get();
      freight = current;
    }
    if (length + bytes.length > payload.length) {
      payload = Arrays.copyOf(payload, Math.max(2 * payload.length, length + bytes.length));
    }
    System.arraycopy(bytes, 0, payload, length, bytes.length);
    length += bytes.length;
    line.append(place == 0 ? "" : " ").append(bytes.length);
    UUID job = FreightId.job(current, place);
    place++;
    return job;
  }

  private boolean isFull(int more) {
    int before = length - behind;
    return place == FreightId.MOST_JOBS
        || (place >= ENOUGH && pieces(before + more) > pieces(before));
  }

  private static int pieces(int bytes) {
    return (bytes + PIECE - 1) / PIECE;
  }

  private void endFreight() {
    UUID ended = freight;
    if (ended != null) {
      ids.add(ended);
      jobs.add((long) place);
      behinds.add((long) behind);
      lengths.add((long) length - behind);
      sizes.add(line.toString());
      line.setLength(0);
      freight = null;
      place = 0;
      behind = length;
    }
  }

  /** Bytes so far. */
  public int size() {
    return length;
  }

  /** What was loaded, as the columns of freights. */
  Columns columns() {
    endFreight();
    byte[] all = length == payload.length ? payload : Arrays.copyOf(payload, length);
    return new Columns(ids, jobs, behinds, lengths, sizes, all);
  }

  /**
   * One value of each for a freight.
   *
   * @param jobs how many it has
   * @param behinds how many bytes come before its own
   * @param lengths how many these are
   * @param sizes how many of them each job has
   * @param payload of all freights
   */
  @SuppressWarnings("ArrayRecordComponent") // Bound at once, never compared.
  record Columns(
      List<UUID> ids,
      List<@Nullable Long> jobs,
      List<@Nullable Long> behinds,
      List<@Nullable Long> lengths,
      List<@Nullable String> sizes,
      byte[] payload) {}
}
