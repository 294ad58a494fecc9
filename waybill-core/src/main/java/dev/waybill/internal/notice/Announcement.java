package dev.waybill.internal.notice;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * What one process tells the others: who says it, what it is about, and in short words what. As
 * text: {@code sender/READY/4,7,9}.
 *
 * @param sender so that nobody listens to himself
 */
record Announcement(String sender, String topic, List<String> words) {
  /** A notice has room for 8,000 bytes. */
  private static final int MOST_CHARACTERS = 7_000;

  Announcement {
    words = List.copyOf(words);
  }

  static Announcement of(String sender, String topic) {
    return new Announcement(sender, topic, List.of());
  }

  /** As many as are needed to say all words. */
  static List<Announcement> of(String sender, String topic, Collection<String> words) {
    List<Announcement> parts = new ArrayList<>();
    List<String> part = new ArrayList<>();
    int length = 0;
    for (String word : words) {
      if (length + word.length() + 1 > MOST_CHARACTERS) {
        parts.add(new Announcement(sender, topic, part));
        part.clear();
        length = 0;
      }
      part.add(word);
      length += word.length() + 1;
    }
    parts.add(new Announcement(sender, topic, part));
    return parts;
  }

  String text() {
    return sender + '/' + topic + '/' + String.join(",", words);
  }

  /** Empty for a text of somebody else's making. */
  static Optional<Announcement> parse(String text) {
    String[] parts = text.split("/", -1);
    if (parts.length != 3) {
      return Optional.empty();
    }
    List<String> words = parts[2].isEmpty() ? List.of() : List.of(parts[2].split(",", -1));
    return Optional.of(new Announcement(parts[0], parts[1], words));
  }
}
