package dev.waybill.internal.job;

import java.util.BitSet;
import java.util.List;
import java.util.Locale;

/** One field of a cron expression: which of its numbers match. */
final class CronField {
  private static final String MONTHS = "JAN,FEB,MAR,APR,MAY,JUN,JUL,AUG,SEP,OCT,NOV,DEC";
  private static final String DAYS = "SUN,MON,TUE,WED,THU,FRI,SAT";

  /** The kinds of fields in the order they are written. */
  enum Kind {
    SECOND(0, 59, 0, ""),
    MINUTE(0, 59, 0, ""),
    HOUR(0, 23, 0, ""),
    DAY_OF_MONTH(1, 31, 0, ""),
    MONTH(1, 12, 1, MONTHS),
    /** Sunday is 0, and 7 as well. */
    DAY_OF_WEEK(0, 7, 0, DAYS);

    private final int first;
    private final int last;
    private final int firstName;
    private final String names;

    Kind(int first, int last, int firstName, String names) {
      this.first = first;
      this.last = last;
      this.firstName = firstName;
      this.names = names;
    }
  }

  private final Kind kind;
  private final BitSet numbers = new BitSet();
  private final boolean open;

  private CronField(Kind kind, String text) {
    this.kind = kind;
    this.open = text.startsWith("*") || text.equals("?");
    for (String part : text.split(",", -1)) {
      add(part);
    }
    if (kind == Kind.DAY_OF_WEEK && numbers.get(7)) {
      numbers.set(0);
      numbers.clear(7);
    }
  }

  static CronField parse(Kind kind, String text) {
    return new CronField(kind, text.toUpperCase(Locale.ROOT));
  }

  private void add(String part) {
    String[] stepped = part.split("/", -1);
    if (stepped.length > 2) {
      throw wrong(part);
    }
    int step = stepped.length == 2 ? digits(stepped[1], part) : 1;
    if (step < 1) {
      throw wrong(part);
    }
    int from;
    int to;
    if (stepped[0].equals("*") || (stepped[0].equals("?") && stepped.length == 1)) {
      from = kind.first;
      to = kind == Kind.DAY_OF_WEEK ? 6 : kind.last;
    } else {
      String[] ends = stepped[0].split("-", -1);
      if (ends.length > 2) {
        throw wrong(part);
      }
      from = number(ends[0], part);
      to = ends.length == 2 ? number(ends[1], part) : stepped.length == 2 ? kind.last : from;
      if (kind == Kind.DAY_OF_WEEK && ends.length == 2 && to == 0 && from > 0) {
        // A range that ends with Sunday: the end of the week.
        to = 7;
      }
    }
    if (from > to) {
      throw wrong(part);
    }
    for (int i = from; i <= to; i += step) {
      numbers.set(i);
    }
  }

  private int number(String text, String part) {
    int name = List.of(kind.names.split(",")).indexOf(text);
    int number = name >= 0 && !text.isEmpty() ? name + kind.firstName : digits(text, part);
    if (number < kind.first || number > kind.last) {
      throw wrong(part);
    }
    return number;
  }

  private int digits(String text, String part) {
    if (!text.matches("\\d{1,4}")) {
      throw wrong(part);
    }
    return Integer.parseInt(text);
  }

  private IllegalArgumentException wrong(String part) {
    return new IllegalArgumentException(
        "its "
            + kind.name().toLowerCase(Locale.ROOT).replace('_', ' ')
            + " has a part that means nothing: "
            + (part.length() > 40 ? part.substring(0, 40) + "…" : part));
  }

  /** Whether it was written as a star, so that every number (or every n-th) matches. */
  boolean isOpen() {
    return open;
  }

  boolean matches(int number) {
    return numbers.get(number);
  }

  /** The first match from this number on, or -1. */
  int next(int from) {
    return numbers.nextSetBit(from);
  }
}
