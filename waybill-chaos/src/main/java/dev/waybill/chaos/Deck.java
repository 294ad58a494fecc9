package dev.waybill.chaos;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Random;

/** Harms in an order that the seed decides, each kind as often as it should be. */
final class Deck {
  private final List<Harm> kinds;
  private final Random random;
  private final Deque<Harm> cards = new ArrayDeque<>();

  /**
   * A deck without end: each kind comes once before any comes again, then as often as it should.
   */
  Deck(List<Harm> kinds, Random random) {
    this.kinds = kinds;
    this.random = random;
    cards.addAll(shuffled(kinds));
  }

  Harm draw() {
    if (cards.isEmpty()) {
      List<Harm> all = new ArrayList<>();
      kinds.forEach(kind -> all.addAll(Collections.nCopies(kind.often(), kind)));
      cards.addAll(shuffled(all));
    }
    return cards.pop();
  }

  private List<Harm> shuffled(List<Harm> harms) {
    List<Harm> shuffled = new ArrayList<>(harms);
    Collections.shuffle(shuffled, random);
    return shuffled;
  }
}
