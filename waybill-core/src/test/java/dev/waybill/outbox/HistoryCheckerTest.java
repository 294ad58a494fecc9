package dev.waybill.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.outbox.HistoryChecker.Effect;
import dev.waybill.outbox.HistoryChecker.Leased;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A checker that finds nothing wrong is worth something only if it would have. */
class HistoryCheckerTest {
  private final HistoryChecker checker = new HistoryChecker();

  private List<String> leased(Set<String> committed, long last, Leased... history) {
    checker.leased(committed, Map.of(0, last), List.of(history));
    return checker.violations();
  }

  private static Leased at(long seq, long epoch, String note) {
    return new Leased(0, seq, epoch, note);
  }

  @Test
  void aRedeliveryUnderALaterLeaseIsFine() {
    assertThat(
            leased(
                Set.of("a:1", "a:2", "b:1"),
                3,
                at(1, 1, "a:1"),
                at(2, 1, "a:2"),
                at(2, 2, "a:2"),
                at(3, 2, "b:1")))
        .isEmpty();
  }

  @Test
  void lostRolledBackAndSwappedMessagesAreFound() {
    assertThat(leased(Set.of("a:1", "a:2", "a:3"), 2, at(1, 1, "a:2"), at(2, 1, "a:1")))
        .contains("leased/0: a:1 after 2", "leased: lost a:3");
    assertThat(leased(Set.of(), 1, at(1, 1, "x:1"))).contains("leased: not committed x:1");
  }

  @Test
  void gapsAndUndeliveredNumbersAreFound() {
    assertThat(leased(Set.of("a:1", "a:3"), 4, at(1, 1, "a:1"), at(3, 1, "a:3")))
        .contains(
            "leased/0: no number 2",
            "leased/0: delivered 2 of 4",
            "partition 0, lease 1: 3 after 1",
            "partition 0, lease 1 skips to 3");
  }

  @Test
  void twiceUnderOneLeaseAndTwoNumbersAreFound() {
    assertThat(leased(Set.of("a:1"), 2, at(1, 1, "a:1"), at(1, 1, "a:1"), at(2, 2, "a:1")))
        .contains("partition 0, lease 1: 1 after 1", "leased: two numbers for a:1");
  }

  @Test
  void anEffectThatHappenedTwiceIsFound() {
    checker.transactional(
        Set.of("a:1"), Map.of(0, 1L), List.of(new Effect(0, 1, "a:1"), new Effect(0, 1, "a:1")));
    assertThat(checker.violations()).singleElement().asString().contains("twice in the database");
  }
}
