package dev.waybill.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.Migrated;
import dev.waybill.internal.store.LeaseRequest.Take;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.NotOn;
import dev.waybill.testkit.TestDatabase;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What a message says does not depend on how large it is, how it was sent and which way it went:
 * small ones may be kept elsewhere than large ones until they have numbers.
 */
@EveryDatabase(alsoOldest = true)
class SmallAndLargeTest {
  private static final List<Integer> SIZES = List.of(0, 1, 900, 999, 1_000, 1_001, 3_000, 100_000);

  private final Stores stores;
  private final long partition;

  SmallAndLargeTest(TestDatabase database) {
    stores = new Stores(Migrated.on(database));
    partition = stores.queue("orders", 1).get(0);
  }

  private NewMessage message(int size) {
    return new NewMessage(
        partition,
        "type " + size,
        size % 2 == 0 ? "key " + size : null,
        size % 3 == 0 ? Map.of("size", String.valueOf(size), "ü", "ö") : Map.of(),
        "x".repeat(size).getBytes(StandardCharsets.UTF_8),
        null,
        null);
  }

  /** Each in a transaction of its own. */
  private List<Long> enqueue(List<Integer> sizes) {
    List<Long> ids = new ArrayList<>();
    for (int size : sizes) {
      ids.add(
          stores.database.transact(tx -> stores.messages.enqueue(tx, List.of(message(size))))[0]);
    }
    return ids;
  }

  private static List<Object> said(StoredMessage message) {
    MessageBody body = Objects.requireNonNull(message.body());
    return List.of(
        message.id(),
        body.type(),
        String.valueOf(body.key()),
        body.headers(),
        String.valueOf(body.text()).length(),
        body.createdAt());
  }

  private static List<List<Object>> said(Delivery delivery) {
    return delivery.messages().stream().map(SmallAndLargeTest::said).toList();
  }

  /** Whoever has it next reads it from the tables. */
  private Delivery readAgain() {
    stores.messages.releaseAll("me");
    return stores.messages.lease(partition, "you", Stores.MINUTE, 100).orElseThrow();
  }

  private void isAllThere(Delivery delivery, List<Integer> sizes, List<Long> ids) {
    assertThat(delivery.messages()).extracting(StoredMessage::id).isEqualTo(ids);
    assertThat(delivery.messages())
        .zipSatisfy(
            sizes,
            (stored, size) -> {
              MessageBody body = Objects.requireNonNull(stored.body());
              NewMessage sent = message(size);
              assertThat(body.type()).isEqualTo(sent.type());
              assertThat(body.key()).isEqualTo(sent.key());
              assertThat(body.headers()).isEqualTo(sent.headers());
              assertThat(body.payload()).isEqualTo(sent.payload());
            });
  }

  @Test
  void takenWithTheirNumbersTheyAreWhatIsReadLater() {
    List<Long> ids = enqueue(SIZES);

    Delivery taken =
        stores
            .messages
            .sequence(
                new long[] {partition}, 100, "me", List.of(new Take(partition, Stores.MINUTE, 100)))
            .taken()
            .get(partition);

    isAllThere(Objects.requireNonNull(taken), SIZES, ids);
    assertThat(said(readAgain())).isEqualTo(said(taken));
  }

  @Test
  void numberedFewAtATimeTheyKeepTheirOrder() {
    List<Long> ids = enqueue(SIZES);
    while (stores.messages.sequence(new long[] {partition}, 3).containsValue(3)) {}

    isAllThere(
        stores.messages.lease(partition, "me", Stores.MINUTE, 100).orElseThrow(), SIZES, ids);
  }

  @Test
  void theTimeIsThatOfTheSending() {
    enqueue(List.of(1, 3_000));
    stores.messages.sequence(new long[] {partition}, 1);
    Delivery first = stores.messages.lease(partition, "me", Stores.MINUTE, 1).orElseThrow();
    enqueue(List.of(2));
    stores.messages.sequence(new long[] {partition}, 10);

    List<StoredMessage> all = readAgain().messages();

    assertThat(all).hasSize(3);
    assertThat(said(all.get(0))).isEqualTo(said(first.messages().get(0)));
    assertThat(all).extracting(each -> Objects.requireNonNull(each.body()).createdAt()).isSorted();
  }

  @Test
  void whatIsDelayedComesAsItIs() {
    NewMessage soon = message(6);
    NewMessage later =
        new NewMessage(
            partition,
            soon.type(),
            soon.key(),
            soon.headers(),
            soon.payload(),
            null,
            Duration.ofNanos(1_000));
    long id = stores.database.transact(tx -> stores.messages.enqueue(tx, List.of(later)))[0];
    while (stores.messages.promote(10).isEmpty()) {
      Thread.onSpinWait();
    }
    stores.messages.sequence(new long[] {partition}, 10);

    Delivery taken = stores.messages.lease(partition, "me", Stores.MINUTE, 10).orElseThrow();

    isAllThere(taken, List.of(6), List.of(id));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 1_000, 1_001, 100_000})
  @NotOn(
      value = {DatabaseProduct.MARIADB, DatabaseProduct.MYSQL, DatabaseProduct.SQLITE},
      why = "numbering takes several statements there, which would be the producer's")
  void whatDepartsIsWhatIsReadLater(int size) {
    Take wanted = new Take(partition, Stores.MINUTE, 10);
    Delivery taken =
        stores
            .database
            .transact(
                tx -> {
                  long[] ids = {
                    stores.messages.enqueue(tx, List.of(message(size)))[0],
                    stores.messages.enqueue(tx, List.of(message(6)))[0],
                    stores.messages.enqueue(tx, List.of(message(3_000)))[0]
                  };
                  return stores.messages.depart(tx, ids, "me", wanted);
                })
            .orElseThrow();

    assertThat(taken.messages()).hasSize(3);
    isAllThere(
        taken, List.of(size, 6, 3_000), taken.messages().stream().map(StoredMessage::id).toList());
    assertThat(said(readAgain())).isEqualTo(said(taken));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 1_000, 1_001, 100_000})
  @NotOn(
      value = {DatabaseProduct.MARIADB, DatabaseProduct.MYSQL, DatabaseProduct.SQLITE},
      why = "numbering takes several statements there, which would be the producer's")
  void whatDepartsLastIsWhatIsReadLaterAndWaitsAsItIs(int size) {
    Take wanted = new Take(partition, Stores.MINUTE, 10);
    MessageStore.Departed gone =
        stores.database.transact(tx -> stores.messages.departLast(tx, message(size), "me", wanted));
    MessageStore.Departed waits =
        stores.database.transact(tx -> stores.messages.departLast(tx, message(size), "me", wanted));

    assertThat(gone.taken()).isPresent();
    assertThat(waits.taken()).isEmpty();
    stores.messages.sequence(new long[] {partition}, 10);
    Delivery read = readAgain();
    isAllThere(read, List.of(size, size), List.of(gone.id(), waits.id()));
    assertThat(said(read).subList(0, 1)).isEqualTo(said(gone.taken().orElseThrow()));
  }
}
