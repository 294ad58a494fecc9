package dev.waybill.chaos;

import dev.waybill.testkit.HistoryChecker.Given;
import dev.waybill.testkit.HistoryChecker.Stored;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** What all diaries say together. */
final class History {
  /**
   * How old something may be and still be taken back when PostgreSQL is killed: the end of a lease
   * does not wait for the disk there. Its writer comes around at least every 0.6 s.
   */
  private static final long NOT_YET_DURABLE_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** Between these two moments a server was killed. */
  record Crash(long from, long to) {}

  private final List<Crash> crashes;
  private final List<Given> given = new ArrayList<>();
  private final List<Stored> stored = new ArrayList<>();
  private final List<String> disorders = new ArrayList<>();
  private long leasesLost;
  private long rolledBack;

  /**
   * Nothing yet.
   *
   * @param crashes when a server was killed that may take something back
   */
  History(List<Crash> crashes) {
    this.crashes = crashes;
  }

  /**
   * Reads a diary. What its writer was just writing when it died is not complete; who died before
   * it began has none.
   */
  void read(Path diary) throws IOException {
    if (Files.notExists(diary)) {
      return;
    }
    String text = Files.readString(diary);
    String complete = text.substring(0, text.lastIndexOf('\n') + 1);
    complete.lines().forEach(this::read);
  }

  private void read(String line) {
    String[] parts = line.split(" ", -1);
    switch (parts[0]) {
      case "given" ->
          given.add(new Given(number(parts[1]), seq(parts[2]), seq(parts[3]), parts[4]));
      case "stored" -> {
        if (isDurable(seq(parts[4]))) {
          stored.add(new Stored(number(parts[1]), seq(parts[2]), seq(parts[3])));
        }
      }
      case "lost" -> leasesLost++;
      case "rolledback" -> rolledBack += seq(parts[1]);
      case "disorder" -> disorders.add(parts[1]);
      default -> throw new IllegalArgumentException("Nobody writes this: " + line);
    }
  }

  private boolean isDurable(long nanos) {
    return crashes.stream()
        .noneMatch(crash -> crash.to - nanos >= 0 && crash.from - nanos < NOT_YET_DURABLE_NANOS);
  }

  private static int number(String text) {
    return Integer.parseInt(text);
  }

  private static long seq(String text) {
    return Long.parseLong(text);
  }

  List<Given> given() {
    return given;
  }

  List<Stored> stored() {
    return stored;
  }

  List<String> disorders() {
    return disorders;
  }

  /** How often the outcome of a delivery was refused because the lease was lost. */
  long leasesLost() {
    return leasesLost;
  }

  /** How many messages were in transactions that were rolled back on purpose. */
  long rolledBack() {
    return rolledBack;
  }

  /** How often a message was given that had been given before. */
  long repeated() {
    Set<String> notes = new HashSet<>();
    given.forEach(each -> notes.add(each.note()));
    return (long) given.size() - notes.size();
  }
}
