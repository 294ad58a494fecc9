package dev.waybill.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.testkit.HistoryChecker.Effect;
import dev.waybill.testkit.HistoryChecker.Given;
import dev.waybill.testkit.HistoryChecker.Kind;
import dev.waybill.testkit.HistoryChecker.Stored;
import dev.waybill.testkit.HistoryChecker.Violation;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A checker that finds nothing wrong is worth something only if it would have. */
class HistoryCheckerTest {
  private final HistoryChecker checker = new HistoryChecker();

  private List<String> leased(Set<String> committed, long last, Given... given) {
    return leased(committed, last, List.of(), given);
  }

  private List<String> leased(
      Set<String> committed, long last, List<Stored> stored, Given... given) {
    checker.leased(committed, Map.of(0, last), List.of(given), stored);
    return checker.violations().stream().map(Violation::toString).toList();
  }

  private static Given at(long seq, long epoch, String note) {
    return new Given(0, seq, epoch, note);
  }

  private static Stored done(long seq, long epoch) {
    return new Stored(0, seq, epoch);
  }

  @Test
  void aRedeliveryUnderALaterLeaseIsFine() {
    assertThat(
            leased(
                Set.of("a:1", "a:2", "b:1"),
                3,
                List.of(done(1, 1), done(3, 2)),
                at(1, 1, "a:1"),
                at(2, 1, "a:2"),
                at(2, 2, "a:2"),
                at(3, 2, "b:1")))
        .isEmpty();
  }

  @Test
  void whatWasStoredAsDoneMustNotComeAgainButAZombieMayStillBeAtIt() {
    assertThat(leased(Set.of("a:1"), 1, List.of(done(1, 1)), at(1, 1, "a:1"), at(1, 2, "a:1")))
        .containsExactly("given again though done: partition 0, lease 2: 1 though 1 was stored");
    HistoryChecker zombie = new HistoryChecker();
    zombie.leased(
        Set.of("a:1"),
        Map.of(0, 1L),
        List.of(at(1, 2, "a:1"), at(1, 1, "a:1")),
        List.of(done(1, 2)));
    assertThat(zombie.violations()).isEmpty();
  }

  @Test
  void lostRolledBackAndSwappedMessagesAreFound() {
    assertThat(leased(Set.of("a:1", "a:2", "a:3"), 2, at(1, 1, "a:2"), at(2, 1, "a:1")))
        .contains("out of order: leased/0: a:1 after 2", "lost: leased a:3");
    assertThat(leased(Set.of(), 1, at(1, 1, "x:1")))
        .contains("from rolled-back transactions: leased x:1");
  }

  @Test
  void gapsAndUndeliveredNumbersAreFound() {
    assertThat(leased(Set.of("a:1", "a:3"), 4, at(1, 1, "a:1"), at(3, 1, "a:3")))
        .contains(
            "gaps: leased/0: no number 2",
            "lost: leased/0: 2 came of 4",
            "out of order: partition 0, lease 1: 3 after 1",
            "out of order: partition 0, lease 1 skips to 3");
  }

  @Test
  void twiceUnderOneLeaseAndTwoNumbersAreFound() {
    assertThat(leased(Set.of("a:1"), 2, at(1, 1, "a:1"), at(1, 1, "a:1"), at(2, 2, "a:1")))
        .contains(
            "out of order: partition 0, lease 1: 1 after 1",
            "twice in the database: leased/0: two numbers for a:1");
  }

  @Test
  void anEffectThatHappenedTwiceIsFound() {
    checker.transactional(
        Set.of("a:1"), Map.of(0, 1L), List.of(new Effect(0, 1, "a:1"), new Effect(0, 1, "a:1")));
    assertThat(checker.violations())
        .singleElement()
        .extracting(Violation::kind)
        .isEqualTo(Kind.TWICE);
  }
}
