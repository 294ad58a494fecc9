package dev.waybill.internal.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.waybill.DatabaseException;
import dev.waybill.DatabaseException.Kind;
import dev.waybill.internal.loop.ManualTime;
import dev.waybill.internal.store.CursorMove;
import dev.waybill.internal.store.Delivery;
import dev.waybill.internal.store.Lease;
import dev.waybill.internal.store.LeaseRequest;
import dev.waybill.internal.store.LeaseRequest.Take;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class RoundsTest {
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final BlockingQueue<Trip> trips = new LinkedBlockingQueue<>();
  private final ManualTime time = new ManualTime();
  private final Rounds rounds = new Rounds(this::travel, time, 2);
  private final List<CompletableFuture<Optional<Delivery>>> first = new ArrayList<>();

  /** One transaction that is under way until the test says how it ends. */
  private record Trip(List<Long> partitions, CompletableFuture<Map<Long, Delivery>> end) {
    void arrive() {
      Map<Long, Delivery> answers = new HashMap<>();
      for (long partition : partitions) {
        if (partition < 100) {
          answers.put(partition, new Delivery(partition, 1, 1, 1, 0, List.of()));
        }
      }
      end.complete(answers);
    }

    void fail(Kind kind) {
      end.completeExceptionally(new DatabaseException(kind, "out of order", null));
    }
  }

  private Map<Long, Delivery> travel(Supplier<List<LeaseRequest>> requests) {
    var trip =
        new Trip(
            requests.get().stream().map(LeaseRequest::partitionId).toList(),
            new CompletableFuture<>());
    trips.add(trip);
    try {
      return trip.end.join();
    } catch (CompletionException e) {
      throw (DatabaseException) e.getCause();
    }
  }

  @AfterEach
  void noThreadIsLeftBehind() throws InterruptedException {
    threads.shutdown();
    assertThat(threads.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
    assertThat(trips).isEmpty();
    assertThat(first).allMatch(CompletableFuture::isDone);
  }

  private CompletableFuture<Optional<Delivery>> ask(long partition) {
    return ask(rounds, partition);
  }

  private CompletableFuture<Optional<Delivery>> ask(Rounds whom, long partition) {
    return CompletableFuture.supplyAsync(
        () -> whom.ask(new Take(partition, Duration.ofMinutes(1), 10)), threads);
  }

  private static Delivery answer(LeaseRequest request) {
    return new Delivery(request.partitionId(), 1, 1, 1, 0, List.of());
  }

  private CompletableFuture<Optional<Delivery>> end(long partition) {
    var lease = new Lease(partition, "me", 1, Duration.ofMinutes(1));
    return CompletableFuture.supplyAsync(
        () -> rounds.ask(new LeaseRequest.End(lease, CursorMove.doneUpTo(1))), threads);
  }

  /** Somebody is with a handler until this is completed. */
  private CompletableFuture<Void> out() throws InterruptedException {
    var back = new CompletableFuture<Void>();
    var gone = new CountDownLatch(1);
    first.add(
        CompletableFuture.supplyAsync(
            () ->
                rounds.whileOut(
                    () -> {
                      gone.countDown();
                      back.join();
                      return Optional.empty();
                    }),
            threads));
    gone.await();
    return back;
  }

  private void awaitWaiting(int passengers) throws InterruptedException {
    while (rounds.waiting() < passengers) {
      Thread.onSpinWait();
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
    }
  }

  @Test
  void theEndOfALeaseGoesAtOnceIfNobodyIsOut() throws Exception {
    first.add(end(1));
    Trip alone = trip();
    assertThat(alone.partitions).containsExactly(1L);
    alone.arrive();
  }

  @Test
  void theEndOfALeaseWaitsForThoseWhoAreOutAndTheLastOneBackTakesAllAlong() throws Exception {
    CompletableFuture<Void> handler = out();
    first.add(end(3));
    first.add(end(2));
    awaitWaiting(2);
    assertThat(trips).isEmpty();
    handler.complete(null);
    first.get(0).get(30, TimeUnit.SECONDS);
    first.add(end(1));
    Trip together = trip();
    assertThat(together.partitions).containsExactly(1L, 2L, 3L);
    together.arrive();
  }

  @Test
  void butItWaitsOnlyForAMoment() throws Exception {
    CompletableFuture<Void> handler = out();
    first.add(end(1));
    first.add(end(2));
    awaitWaiting(2);
    time.awaitParked(2);
    time.advance(Rounds.LINGER);
    Trip together = trip();
    assertThat(together.partitions).containsExactly(1L, 2L);
    together.arrive();
    handler.complete(null);
  }

  @Test
  void whoWantsMessagesWaitsForNobodyAndTakesThoseWhoWaitAlong() throws Exception {
    CompletableFuture<Void> handler = out();
    first.add(end(7));
    awaitWaiting(1);
    first.add(ask(5));
    Trip together = trip();
    assertThat(together.partitions).containsExactly(5L, 7L);
    together.arrive();
    handler.complete(null);
  }

  private Trip trip() throws InterruptedException {
    @Nullable Trip trip = trips.poll(30, TimeUnit.SECONDS);
    if (trip == null) {
      throw new AssertionError("nobody set out");
    }
    return trip;
  }

  /** Two are under way, the first for a while, so that whoever asks now has to wait. */
  private List<Trip> bothUnderWay() throws InterruptedException {
    first.add(ask(1));
    Trip slow = trip();
    first.addAll(waiting(2));
    time.awaitParked(1);
    time.advance(Rounds.PATIENCE);
    return List.of(slow, trip());
  }

  private List<CompletableFuture<Optional<Delivery>>> waiting(long... partitions)
      throws InterruptedException {
    List<CompletableFuture<Optional<Delivery>>> asked = new ArrayList<>();
    for (long partition : partitions) {
      asked.add(ask(partition));
    }
    awaitWaiting(partitions.length);
    return asked;
  }

  @Test
  void whoFindsNobodyUnderWayGoesAtOnceAndAlone() throws Exception {
    for (long partition = 1; partition <= 2; partition++) {
      CompletableFuture<Optional<Delivery>> asked = ask(partition);
      Trip alone = trip();
      assertThat(alone.partitions).containsExactly(partition);
      alone.arrive();
      assertThat(asked.get(30, TimeUnit.SECONDS)).map(Delivery::processedSeq).contains(partition);
    }
  }

  @Test
  void whoComesMeanwhileWaitsForTheOneThatIsUnderWay() throws Exception {
    first.add(ask(1));
    Trip quick = trip();
    first.addAll(waiting(2, 3));
    time.advance(Rounds.PATIENCE.dividedBy(2));
    assertThat(trips).isEmpty();
    quick.arrive();
    Trip together = trip();
    assertThat(together.partitions).containsExactly(2L, 3L);
    together.arrive();
  }

  @Test
  void aRoundThatTakesItsTimeDoesNotHoldUpTheOthers() throws Exception {
    first.add(ask(1));
    Trip stuck = trip();
    first.addAll(waiting(2, 3, 4));
    time.awaitParked(3);
    time.advance(Rounds.PATIENCE);
    Trip second = trip();
    assertThat(second.partitions).containsExactly(2L, 3L, 4L);
    first.addAll(waiting(5));
    second.arrive();
    Trip third = trip();
    assertThat(third.partitions).containsExactly(5L);
    third.arrive();
    stuck.arrive();
  }

  @Test
  void thoseWhoWaitedGoTogetherInTheOrderOfPartitions() throws Exception {
    List<Trip> both = bothUnderWay();
    var asked = waiting(7, 104, 5, 6);
    assertThat(trips).isEmpty();

    both.get(1).arrive();
    Trip together = trip();
    assertThat(together.partitions).containsExactly(5L, 6L, 7L, 104L);
    together.arrive();

    assertThat(asked.get(0).get(30, TimeUnit.SECONDS)).map(Delivery::processedSeq).contains(7L);
    assertThat(asked.get(1).get(30, TimeUnit.SECONDS)).isEmpty();
    assertThat(asked.get(2).get(30, TimeUnit.SECONDS)).map(Delivery::processedSeq).contains(5L);
    both.get(0).arrive();
  }

  @Test
  void whoIsAboardWaitsHoweverLongItTakes() throws Exception {
    first.add(ask(1));
    Trip quick = trip();
    first.addAll(waiting(2, 3));
    quick.arrive();
    Trip slow = trip();
    assertThat(slow.partitions).containsExactly(2L, 3L);
    time.advance(Rounds.PATIENCE.multipliedBy(2));

    first.addAll(waiting(4));
    time.awaitParked(2);
    time.advance(Rounds.PATIENCE);
    Trip second = trip();
    assertThat(second.partitions).containsExactly(4L);
    second.arrive();
    slow.arrive();
  }

  @Test
  void whoComesWhileItStandsInLineGoesAlong() throws Exception {
    var inLine = new CountDownLatch(1);
    var itsTurn = new CompletableFuture<Void>();
    var patient =
        new Rounds(
            requests -> {
              inLine.countDown();
              itsTurn.join();
              Map<Long, Delivery> answers = new HashMap<>();
              // As when the transaction has to be repeated.
              assertThat(requests.get()).isEqualTo(requests.get());
              requests.get().forEach(each -> answers.put(each.partitionId(), answer(each)));
              return answers;
            },
            time,
            1);
    List<CompletableFuture<Optional<Delivery>>> asked = new ArrayList<>();
    asked.add(ask(patient, 2));
    inLine.await();
    asked.add(ask(patient, 1));
    asked.add(ask(patient, 3));
    while (patient.waiting() < 2) {
      Thread.onSpinWait();
    }
    itsTurn.complete(null);
    for (long partition : new long[] {2, 1, 3}) {
      assertThat(asked.remove(0).get(30, TimeUnit.SECONDS))
          .map(Delivery::processedSeq)
          .contains(partition);
    }
    assertThat(patient.waiting()).isZero();
  }

  @Test
  void whereOneIsUnderWayAtMostTheOthersWaitHoweverLongItTakes() throws Exception {
    var single = new Rounds(this::travel, time, 1);
    first.add(ask(single, 1));
    Trip slow = trip();
    first.add(ask(single, 2));
    first.add(ask(single, 3));
    time.awaitParked(2);
    time.advance(Rounds.PATIENCE.multipliedBy(3));
    time.awaitParked(2);
    assertThat(trips).isEmpty();
    slow.arrive();
    Trip together = trip();
    assertThat(together.partitions).containsExactly(2L, 3L);
    together.arrive();
  }

  @Test
  void aPartyIsOfABearableSize() throws Exception {
    List<Trip> both = bothUnderWay();
    long[] many = new long[40];
    for (int i = 0; i < many.length; i++) {
      many[i] = i + 10L;
    }
    waiting(many);
    both.get(0).arrive();
    Trip large = trip();
    assertThat(large.partitions).hasSize(32);
    both.get(1).arrive();
    Trip rest = trip();
    assertThat(rest.partitions).hasSize(8);
    large.arrive();
    rest.arrive();
  }

  @Test
  void afterARefusalEachTriesAloneSoThatOneCannotSpoilItForAll() throws Exception {
    List<Trip> both = bothUnderWay();
    var asked = waiting(5, 6);
    both.get(0).arrive();
    trip().fail(Kind.FATAL);

    Trip one = trip();
    Trip other = trip();
    assertThat(List.of(one.partitions, other.partitions))
        .containsExactlyInAnyOrder(List.of(5L), List.of(6L));
    (one.partitions.contains(5L) ? one : other).fail(Kind.FATAL);
    (one.partitions.contains(5L) ? other : one).arrive();
    assertThatThrownBy(() -> asked.get(0).get(30, TimeUnit.SECONDS))
        .hasCauseInstanceOf(DatabaseException.class);
    assertThat(asked.get(1).get(30, TimeUnit.SECONDS)).isPresent();
    both.get(1).arrive();
  }

  @Test
  void aBrokenConnectionIsEverybodysAndTheNextSetOutAllTheSame() throws Exception {
    List<Trip> both = bothUnderWay();
    var asked = waiting(5, 6);
    both.get(0).fail(Kind.DISCONNECTED);
    trip().fail(Kind.DISCONNECTED);
    for (var each : asked) {
      assertThatThrownBy(() -> each.get(30, TimeUnit.SECONDS))
          .hasCauseInstanceOf(DatabaseException.class);
    }
    both.get(1).arrive();
    CompletableFuture<Optional<Delivery>> later = ask(8);
    trip().arrive();
    assertThat(later.get(30, TimeUnit.SECONDS)).isPresent();
  }
}
