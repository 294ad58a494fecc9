package dev.waybill.chaos;

import dev.waybill.testkit.HistoryChecker;
import dev.waybill.testkit.HistoryChecker.Effect;
import dev.waybill.testkit.HistoryChecker.Kind;
import dev.waybill.testkit.HistoryChecker.Violation;
import java.sql.SQLException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** What a storm did, and what the history says. */
record Report(
    String database,
    Settings settings,
    Duration took,
    Map<Harm, Integer> harms,
    long committed,
    long given,
    long repeated,
    long leasesLost,
    long rolledBack,
    long effects,
    long deadLetters,
    List<Violation> violations) {
  private static final int WORTH_SHOWING = 20;

  static Report of(
      String database,
      Settings settings,
      Duration took,
      Map<Harm, Integer> harms,
      Books books,
      History history)
      throws SQLException {
    HistoryChecker checker = new HistoryChecker();
    checker.leased(
        books.committed(WorkerMain.PARCELS),
        books.last(WorkerMain.PARCELS),
        history.given(),
        history.stored());
    List<Effect> effects = books.effects();
    checker.transactional(
        books.committed(WorkerMain.LEDGER), books.last(WorkerMain.LEDGER), effects);
    history.disorders().forEach(checker::overtaken);
    long deadLetters = books.deadLetters();
    return new Report(
        database,
        settings,
        took,
        harms,
        books.committed(),
        history.given().size(),
        history.repeated(),
        history.leasesLost(),
        history.rolledBack(),
        effects.size() - deadLetters,
        deadLetters,
        checker.violations());
  }

  boolean isFine() {
    return violations.isEmpty();
  }

  int faults() {
    return harms.values().stream().mapToInt(Integer::intValue).sum();
  }

  String text() {
    Map<Kind, Long> broken = new EnumMap<>(Kind.class);
    for (Kind kind : Kind.values()) {
      broken.put(kind, violations.stream().filter(each -> each.kind() == kind).count());
    }
    StringBuilder text = new StringBuilder();
    line(
        text,
        "%s: %,d faults in %s, processes at a time: %d, seed %d",
        database,
        faults(),
        Progress.clock(took),
        settings.processes(),
        settings.seed());
    line(text, "  %s", joined(harms));
    line(text, "  %,d messages committed, %,d more rolled back", committed, rolledBack);
    line(
        text,
        "  under leases: given %,d times, %,d of them again; %,d outcomes refused to who had"
            + " lost the lease",
        given,
        repeated,
        leasesLost);
    line(text, "  in transactions: %,d effects and %,d dead letters", effects, deadLetters);
    line(
        text,
        "  %s",
        broken.entrySet().stream()
            .map(each -> String.format(Locale.ROOT, "%,d %s", each.getValue(), each.getKey()))
            .collect(Collectors.joining(", ")));
    violations.stream().limit(WORTH_SHOWING).forEach(each -> line(text, "  WRONG %s", each));
    return text.toString();
  }

  private static String joined(Map<Harm, Integer> harms) {
    return harms.entrySet().stream()
        .map(each -> each.getKey() + " " + each.getValue())
        .collect(Collectors.joining(", "));
  }

  private static void line(StringBuilder text, String format, Object... values) {
    text.append(String.format(Locale.ROOT, format, values)).append('\n');
  }
}
