package dev.waybill.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PartitionsTest {
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4, 8, 16, 32, 64})
  void takesPowersOfTwo(int count) {
    assertThat(Partitions.of(count).count()).isEqualTo(count);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, -1, 3, 5, 6, 63, 65, 128, Integer.MIN_VALUE, Integer.MAX_VALUE})
  void refusesOtherNumbers(int count) {
    assertThatThrownBy(() -> Partitions.of(count))
        .isInstanceOf(OutboxException.InvalidPartitionCount.class)
        .hasMessageContaining(String.valueOf(count));
  }

  @Test
  void countsFromZero() {
    assertThat(Partitions.of(4).contains(0)).isTrue();
    assertThat(Partitions.of(4).contains(3)).isTrue();
    assertThat(Partitions.of(4).contains(4)).isFalse();
    assertThat(Partitions.of(4).contains(-1)).isFalse();
  }

  /** Computed by another implementation in another language. These numbers never change. */
  @ParameterizedTest
  @CsvSource({
    "'', efd01f60ba992926, 38",
    "a, 82a2a958a9bece5b, 27",
    "b, 6e673288764ad2d0, 16",
    "customer-1, adf92b537b08cdda, 26",
    "customer-2, 5b55fd5d4645d8f3, 51",
    "4711, 9edda03fdab13031, 49",
    "Grüße, 18ee3acd8b57a4fe, 62",
    "日本, 1230c55089fe4e43, 3",
    "😀, da89b0991f06f386, 6"
  })
  void theHashOfAKeyNeverChanges(String key, String hash, int of64) {
    assertThat(KeyHash.of(key)).isEqualTo(Long.parseUnsignedLong(hash, 16));
    assertThat(Partitions.of(64).partitionOf(key)).isEqualTo(of64);
    assertThat(Partitions.of(4).partitionOf(key)).isEqualTo(of64 % 4);
    assertThat(Partitions.of(1).partitionOf(key)).isZero();
  }

  @Test
  void aLongKeyIsHashedWhole() {
    assertThat(KeyHash.of("x".repeat(1024)))
        .isEqualTo(Long.parseUnsignedLong("aa923e73b74b0f2e", 16));
  }

  @Test
  void similarKeysSpreadEvenly() {
    int[] counts = new int[64];
    for (int i = 0; i < 64_000; i++) {
      counts[Partitions.of(64).partitionOf("customer-" + i)]++;
    }
    assertThat(IntStream.of(counts)).allMatch(count -> count > 850 && count < 1150);
  }

  @Test
  void doublingMovesAKeyByTheOldCountOrNotAtAll() {
    IntStream.range(0, 1000)
        .mapToObj(i -> "key" + i)
        .forEach(
            key -> {
              int before = Partitions.of(8).partitionOf(key);
              assertThat(Partitions.of(16).partitionOf(key)).isIn(before, before + 8);
            });
  }
}
