package dev.waybill.internal.store;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;

/**
 * Growing ids as few bytes: the first, then the steps between them, each in groups of seven bits,
 * lowest first, the high bit saying that more follow. Neighbours cost a byte each.
 */
final class PackedIds {
  private PackedIds() {}

  /** The ids must be positive and grow. */
  static byte[] pack(long[] ids, int from, int to) {
    var bytes = new ByteArrayOutputStream(to - from + 8);
    long before = 0;
    for (int i = from; i < to; i++) {
      long step = ids[i] - before;
      if (step <= 0) {
        throw new IllegalArgumentException("Ids must be positive and grow: " + ids[i]);
      }
      while (step > 0x7F) {
        bytes.write((int) (step & 0x7F) | 0x80);
        step >>>= 7;
      }
      bytes.write((int) step);
      before = ids[i];
    }
    return bytes.toByteArray();
  }

  static long[] unpack(byte[] bytes, int count) {
    long[] ids = new long[count];
    int at = 0;
    long id = 0;
    for (int i = 0; i < count; i++) {
      long step = 0;
      int shift = 0;
      byte group;
      do {
        if (at == bytes.length || shift > 63) {
          throw new IllegalStateException(
              "A row of outgoing is damaged: it should hold " + count + " ids, but holds " + i);
        }
        group = bytes[at++];
        step |= (long) (group & 0x7F) << shift;
        shift += 7;
      } while (group < 0);
      id += step;
      ids[i] = id;
    }
    if (at != bytes.length) {
      throw new IllegalStateException(
          "A row of outgoing is damaged: it holds more than its " + count + " ids");
    }
    return ids;
  }

  /** As a JSON array, for statements that join with one. */
  static String json(long[] ids) {
    return Arrays.toString(ids);
  }
}
