package dev.waybill.internal.outbox;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * What one process tells the others: who says it, what kind of work there is, and in which
 * partitions. As text: {@code sender/ready/4,7,9}.
 *
 * @param sender so that nobody listens to himself
 */
record Announcement(String sender, Kind kind, List<Long> partitions) {
  /** The kind of work. */
  enum Kind {
    /** There are messages without numbers. */
    DIRTY,
    /** There are messages to deliver. */
    READY,
    /** Nothing; the sender wants to know whether it hears itself. */
    PROBE
  }

  /** A notice has room for 8,000 bytes, and a number for 20 digits. */
  private static final int MOST_PARTITIONS = 300;

  Announcement {
    partitions = List.copyOf(partitions);
  }

  /** As many as are needed to name all partitions. */
  static List<Announcement> of(String sender, Kind kind, Collection<Long> partitions) {
    List<Long> all = List.copyOf(partitions);
    List<Announcement> parts = new ArrayList<>();
    for (int from = 0; from < all.size(); from += MOST_PARTITIONS) {
      int to = Math.min(all.size(), from + MOST_PARTITIONS);
      parts.add(new Announcement(sender, kind, all.subList(from, to)));
    }
    return parts;
  }

  String text() {
    var text = new StringBuilder(sender).append('/').append(kind.name()).append('/');
    for (int i = 0; i < partitions.size(); i++) {
      text.append(i == 0 ? "" : ",").append(partitions.get(i));
    }
    return text.toString();
  }

  /** Empty for a text of somebody else's making, such as a newer release's. */
  static Optional<Announcement> parse(String text) {
    String[] parts = text.split("/", -1);
    if (parts.length != 3) {
      return Optional.empty();
    }
    try {
      List<Long> partitions = new ArrayList<>();
      for (String number : parts[2].isEmpty() ? new String[0] : parts[2].split(",", -1)) {
        partitions.add(Long.parseLong(number));
      }
      return Optional.of(new Announcement(parts[0], Kind.valueOf(parts[1]), partitions));
    } catch (IllegalArgumentException unknown) {
      return Optional.empty();
    }
  }
}
