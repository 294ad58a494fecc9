package dev.waybill.bench.load;

/**
 * One message. Its text begins with its tag and the moment it was due, so that whoever receives the
 * text can be checked without looking anything up.
 *
 * @param producer who sends it, at most 2,047
 * @param key what it is ordered by, at most 1,048,575
 * @param number counts the messages of this producer with this key, from 0
 * @param due when it was to be sent, by {@link System#nanoTime}, which all processes share
 * @param text what is sent
 */
public record Parcel(int producer, int key, int number, long due, String text) {
  private static final int HEAD = 32;

  /** The smallest text that holds the head. */
  public static final int SMALLEST = 64;

  static Parcel of(int producer, int key, int number, long due, String filler) {
    long tag = tag(producer, key, number);
    return new Parcel(producer, key, number, due, hex(tag) + hex(due) + filler);
  }

  static int fillerFor(int bytes) {
    return Math.max(bytes, SMALLEST) - HEAD;
  }

  /** Tells this message from all others of a run. */
  public long tag() {
    return tag(producer, key, number);
  }

  static long tag(int producer, int key, int number) {
    return ((long) producer << 52) | ((long) key << 32) | number;
  }

  static long lane(long tag) {
    return tag >>> 32;
  }

  static int number(long tag) {
    return (int) tag;
  }

  static long tagOf(String text) {
    return Long.parseUnsignedLong(text, 0, 16, 16);
  }

  static long dueOf(String text) {
    return Long.parseUnsignedLong(text, 16, HEAD, 16);
  }

  private static String hex(long value) {
    String digits = Long.toHexString(value);
    return "0".repeat(16 - digits.length()) + digits;
  }
}
