package dev.waybill.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.testkit.DatabaseProduct;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class DeckTest {
  private static final List<Harm> KINDS = Harm.of(DatabaseProduct.POSTGRESQL);

  private static List<Harm> drawn(long seed, int count) {
    Deck deck = new Deck(KINDS, new Random(seed));
    return IntStream.range(0, count).mapToObj(i -> deck.draw()).toList();
  }

  @Test
  void everyKindComesOnceFirst() {
    assertThat(drawn(1, KINDS.size())).containsExactlyInAnyOrderElementsOf(KINDS);
  }

  @Test
  void aSeedIsAnOrder() {
    assertThat(drawn(7, 100)).isEqualTo(drawn(7, 100)).isNotEqualTo(drawn(8, 100));
  }

  @Test
  void aFileHasNoServerAndNoNetwork() {
    assertThat(Harm.of(DatabaseProduct.SQLITE))
        .contains(Harm.KILLED, Harm.FILE_LOCKED)
        .doesNotContain(Harm.CUT, Harm.SERVER_KILLED);
    assertThat(KINDS).doesNotContain(Harm.FILE_LOCKED);
  }
}
