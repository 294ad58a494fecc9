package dev.waybill.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.waybill.Migrated;
import dev.waybill.TransactionRequiredException;
import dev.waybill.Waybill;
import dev.waybill.outbox.DeadLetterException.ClaimLost;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.Fault;
import dev.waybill.testkit.FaultyDataSource;
import dev.waybill.testkit.Hold;
import dev.waybill.testkit.NotOn;
import dev.waybill.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Taking dead letters up, and how that can end. */
@EveryDatabase(alsoOldest = true)
class DeadLetterClaimTest {
  private static final Executor THREADS = task -> new Thread(task, "test").start();
  private static final DeadLetterFilter ALL = DeadLetterFilter.defaults();
  private static final Duration HOUR = Duration.ofHours(1);

  private final FaultyDataSource watched;
  private final Graveyard graveyard;
  private final Waybill waybill;
  private final DeadLetters deadLetters;

  DeadLetterClaimTest(TestDatabase database) {
    TestDatabase fresh = Migrated.on(database);
    watched = new FaultyDataSource(fresh.dataSource());
    graveyard = new Graveyard(fresh);
    waybill =
        Waybill.builder(watched)
            .outbox(o -> o.withoutWorkers().queue("orders", Partitions.of(4)).produceOnly())
            .start();
    deadLetters = waybill.outbox().deadLetters();
  }

  @AfterEach
  void stop() {
    watched.reset();
    waybill.close();
  }

  private DeadLetter only(DeadLetterFilter filter) {
    List<DeadLetter> all = deadLetters.list(filter.anyStatus());
    assertThat(all).hasSize(1);
    return all.get(0);
  }

  private void expire(DeadLetterClaim claim) throws SQLException {
    graveyard.set("deadline = 7", claim.ids());
  }

  private static Instant deadlineOf(DeadLetterClaim claim) {
    return Objects.requireNonNull(claim.deadline());
  }

  @Test
  void aClaimShowsThingsAsTheyAreAfterIt() throws SQLException {
    List<Long> ids = graveyard.bury("orders", 0, 3);

    DeadLetterClaim claim = deadLetters.claim(ALL.limit(2), HOUR);

    assertThat(claim.ids()).containsExactly(ids.get(0), ids.get(1));
    assertThat(claim.deadLetters())
        .allSatisfy(
            letter -> {
              assertThat(letter.status()).isEqualTo(DeadLetterStatus.REPROCESSING);
              assertThat(letter.deadline()).isEqualTo(claim.deadline());
              assertThat(letter.message().text()).startsWith("payload ");
            });
    assertThat(Duration.between(Instant.now(), deadlineOf(claim)))
        .isBetween(Duration.ofMinutes(55), Duration.ofMinutes(65));
    assertThat(deadLetters.count(ALL)).isEqualTo(1);
    assertThat(deadLetters.list(ALL.status(DeadLetterStatus.REPROCESSING)))
        .extracting(DeadLetter::id)
        .containsExactly(ids.get(1), ids.get(0));
  }

  @Test
  void aTimeoutIsNotRoundedToSeconds() throws SQLException {
    graveyard.bury("orders", 0, 2);
    Instant one = deadlineOf(deadLetters.claim(ALL.limit(1), Duration.ofMillis(3_600_250)));
    Instant two = deadlineOf(deadLetters.claim(ALL.limit(1), Duration.ofMillis(3_600_950)));
    assertThat(Duration.between(one, two))
        .isBetween(Duration.ofMillis(690), Duration.ofSeconds(20))
        .matches(apart -> apart.toMillis() >= 690);
  }

  @Test
  void atMostOneHundredAreClaimedUnlessMoreAreAskedFor() throws SQLException {
    graveyard.bury("orders", 0, 250);
    assertThat(deadLetters.claim(ALL, HOUR).deadLetters()).hasSize(100);
    assertThat(deadLetters.claim(ALL.limit(10_000), HOUR).deadLetters()).hasSize(150);
    DeadLetterClaim nothing = deadLetters.claim(ALL, HOUR);
    assertThat(nothing.isEmpty()).isTrue();
    assertThat(nothing.deadline()).isNull();
    assertThat(deadLetters.resolve(nothing)).isZero();
  }

  @Test
  void aClaimFollowsItsFilter() throws SQLException {
    graveyard.bury("orders", 0, 2);
    List<Long> third = graveyard.bury("orders", 3, 2, "order.placed", Graveyard.FIRST);
    assertThat(deadLetters.claim(ALL.partition("orders", 3).limit(1), HOUR).ids())
        .containsExactly(third.get(0));
    assertThat(deadLetters.claim(ALL.type("order.placed"), HOUR).ids())
        .containsExactly(third.get(1));
    assertThat(deadLetters.claim(ALL.ids(third), HOUR).isEmpty()).isTrue();
    assertThat(deadLetters.claim(ALL.queue("orders"), HOUR).deadLetters()).hasSize(2);
  }

  @Test
  void whatWasDealtWithIsResolved() throws SQLException {
    graveyard.bury("orders", 0, 1);
    DeadLetterClaim claim = deadLetters.claim(ALL, HOUR);

    assertThat(deadLetters.resolve(claim)).isEqualTo(1);

    DeadLetter letter = only(ALL);
    assertThat(letter.status()).isEqualTo(DeadLetterStatus.RESOLVED);
    assertThat(letter.deadline()).isNull();
    assertThat(Duration.between(Objects.requireNonNull(letter.completedAt()), Instant.now()).abs())
        .isLessThan(Duration.ofMinutes(5));
    assertThatThrownBy(() -> deadLetters.resolve(claim)).isInstanceOf(ClaimLost.class);
    assertThatThrownBy(() -> deadLetters.reject(claim, "no")).isInstanceOf(ClaimLost.class);
  }

  @Test
  void whatFailedAgainIsPendingAgainAtTheEndOfTheLine() throws SQLException {
    List<Long> ids = graveyard.bury("orders", 0, 2);
    DeadLetterClaim claim = deadLetters.claim(ALL.limit(1), HOUR);

    assertThat(deadLetters.reject(claim, "still\u0000 no")).isEqualTo(1);

    DeadLetter letter = only(ALL.ids(List.of(ids.get(0))));
    assertThat(letter.status()).isEqualTo(DeadLetterStatus.PENDING);
    assertThat(letter.lastError()).isEqualTo("still? no");
    assertThat(letter.message().attempts()).isEqualTo(4);
    assertThat(letter.deadline()).isNull();
    assertThat(letter.failedAt()).isAfter(Graveyard.FIRST.plusSeconds(1_000));
    assertThat(deadLetters.claim(ALL.limit(1), HOUR).ids()).containsExactly(ids.get(1));
  }

  @Test
  void attemptsStopAtALimitRatherThanOverflow() throws SQLException {
    List<Long> ids = graveyard.bury("orders", 0, 1);
    graveyard.set("attempts = 2147483647", ids);
    deadLetters.reject(deadLetters.claim(ALL, HOUR), "no");
    assertThat(only(ALL).message().attempts()).isEqualTo(Integer.MAX_VALUE);
  }

  @Test
  void aClaimCanEndInParts() throws SQLException {
    List<Long> ids = graveyard.bury("orders", 0, 3);
    String token = deadLetters.claim(ALL, HOUR).token();
    assertThat(deadLetters.resolve(token, ids.subList(0, 1))).isEqualTo(1);
    assertThat(deadLetters.reject(token, ids.subList(1, 2), "no")).isEqualTo(1);
    assertThat(deadLetters.resolve(token, ids)).isEqualTo(1);
    assertThat(deadLetters.count(ALL.status(DeadLetterStatus.RESOLVED))).isEqualTo(2);
    assertThat(deadLetters.count(ALL.status(DeadLetterStatus.PENDING))).isEqualTo(1);
  }

  @Test
  void whatNobodyHasClaimedCannotEnd() throws SQLException {
    List<Long> ids = graveyard.bury("orders", 0, 1);
    assertThatThrownBy(() -> deadLetters.resolve("made up", ids)).isInstanceOf(ClaimLost.class);
    assertThatThrownBy(() -> deadLetters.reject("made up", ids, "no"))
        .isInstanceOf(ClaimLost.class)
        .hasMessageStartingWith("The claim 'made up' holds none of the 1 dead letters");
    assertThat(only(ALL).status()).isEqualTo(DeadLetterStatus.PENDING);
  }

  @Test
  void aClaimEndsWithTheCallersTransaction() throws SQLException {
    graveyard.bury("orders", 0, 1);
    DeadLetterClaim claim = deadLetters.claim(ALL, HOUR);
    try (Connection connection = watched.getConnection()) {
      assertThatThrownBy(() -> deadLetters.resolve(connection, claim.token(), claim.ids()))
          .isInstanceOf(TransactionRequiredException.class);
      connection.setAutoCommit(false);
      assertThat(deadLetters.resolve(connection, claim.token(), claim.ids())).isEqualTo(1);
      connection.rollback();
      assertThat(only(ALL).status()).isEqualTo(DeadLetterStatus.REPROCESSING);
      assertThat(deadLetters.resolve(connection, claim.token(), claim.ids())).isEqualTo(1);
      connection.commit();
      assertThat(only(ALL).status()).isEqualTo(DeadLetterStatus.RESOLVED);
      assertThatThrownBy(() -> deadLetters.resolve(connection, claim.token(), claim.ids()))
          .isInstanceOf(ClaimLost.class);
      connection.rollback();
    }
  }

  @Test
  void aLateResolverIsRefused() throws SQLException {
    graveyard.bury("orders", 0, 1);
    DeadLetterClaim late = deadLetters.claim(ALL, HOUR);
    assertThat(deadLetters.claim(ALL, HOUR).isEmpty()).isTrue();
    expire(late);
    DeadLetterClaim current = deadLetters.claim(ALL, HOUR);
    assertThat(current.ids()).isEqualTo(late.ids());
    assertThat(current.token()).isNotEqualTo(late.token());

    assertThatThrownBy(() -> deadLetters.resolve(late))
        .isInstanceOfSatisfying(
            ClaimLost.class, lost -> assertThat(lost.token()).isEqualTo(late.token()));
    assertThatThrownBy(() -> deadLetters.reject(late, "no")).isInstanceOf(ClaimLost.class);
    assertThat(only(ALL).status()).isEqualTo(DeadLetterStatus.REPROCESSING);
    assertThat(deadLetters.resolve(current)).isEqualTo(1);
  }

  @Test
  void aClaimThatIsOverdueButNobodyElsesStillEnds() throws SQLException {
    graveyard.bury("orders", 0, 1);
    DeadLetterClaim claim = deadLetters.claim(ALL, HOUR);
    expire(claim);
    assertThat(deadLetters.resolve(claim)).isEqualTo(1);
  }

  @Test
  void abandonedOnesComeFirst() throws SQLException {
    List<Long> ids = graveyard.bury("orders", 0, 4);
    expire(deadLetters.claim(ALL.ids(ids.subList(2, 3)), HOUR));
    assertThat(deadLetters.claim(ALL.limit(1), HOUR).ids()).containsExactly(ids.get(2));
    expire(deadLetters.claim(ALL.ids(ids.subList(1, 2)), HOUR));
    assertThat(deadLetters.claim(ALL.status(DeadLetterStatus.REPROCESSING), HOUR).ids())
        .containsExactly(ids.get(1));
    expire(deadLetters.claim(ALL.ids(ids.subList(0, 1)), HOUR));
    assertThat(deadLetters.claim(ALL.status(DeadLetterStatus.PENDING), HOUR).ids())
        .containsExactly(ids.get(3));
  }

  @Test
  @NotOn(value = DatabaseProduct.SQLITE, why = "it has one writer: the second would wait")
  void whileOneOperatorClaimsAnotherGetsTheRestAtOnce() throws Exception {
    List<Long> ids = graveyard.bury("orders", 0, 4);
    DeadLetterFilter two = ALL.queue("orders").limit(2);
    Hold hold = watched.on(Fault.sql(text -> text.startsWith("update"))).hold();
    var first = CompletableFuture.supplyAsync(() -> deadLetters.claim(two, HOUR), THREADS);
    hold.awaitReached(Duration.ofSeconds(30));

    DeadLetterClaim second = deadLetters.claim(two, HOUR);
    long unlocked =
        graveyard.number(
            "select count(*) from (select id from waybill_outbox_partitions for update skip locked) p");
    hold.release();

    assertThat(first.get(30, TimeUnit.SECONDS).ids()).containsExactly(ids.get(0), ids.get(1));
    assertThat(second.ids()).containsExactly(ids.get(2), ids.get(3));
    // Nor does a claim stand in the way of whoever numbers messages.
    assertThat(unlocked).isEqualTo(4);
  }

  @Test
  void manyOperatorsShareTheWorkAndNothingIsClaimedTwice() throws Exception {
    List<Long> ids = graveyard.bury("orders", 1, 200);
    List<CompletableFuture<List<Long>>> operators = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      operators.add(CompletableFuture.supplyAsync(this::claimAll, THREADS));
    }
    List<Long> claimed = new ArrayList<>();
    for (var operator : operators) {
      claimed.addAll(operator.get(60, TimeUnit.SECONDS));
    }
    assertThat(claimed).doesNotHaveDuplicates().containsExactlyInAnyOrderElementsOf(ids);
    assertThat(deadLetters.count(ALL.status(DeadLetterStatus.RESOLVED))).isEqualTo(200);
  }

  private List<Long> claimAll() {
    List<Long> mine = new ArrayList<>();
    while (deadLetters.count(ALL) > 0) {
      DeadLetterClaim claim = deadLetters.claim(ALL.limit(7), HOUR);
      mine.addAll(claim.ids());
      assertThat(deadLetters.resolve(claim)).isEqualTo(claim.deadLetters().size());
    }
    return mine;
  }
}
