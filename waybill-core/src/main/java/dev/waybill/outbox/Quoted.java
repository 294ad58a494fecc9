package dev.waybill.outbox;

/** Names of callers, made fit for an error text: short, and without what would break a log line. */
final class Quoted {
  private static final int LONGEST = 64;

  private Quoted() {}

  static String name(String name) {
    var text = new StringBuilder("'");
    for (int i = 0; i < Math.min(LONGEST, name.length()); i++) {
      char c = name.charAt(i);
      if (c >= ' ' && c <= '~') {
        text.append(c);
      } else {
        text.append(String.format("\\u%04x", (int) c));
      }
    }
    return text.append(name.length() > LONGEST ? "…'" : "'").toString();
  }
}
