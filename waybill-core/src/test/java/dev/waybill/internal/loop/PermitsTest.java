package dev.waybill.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.waybill.internal.loop.Permits.Permit;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class PermitsTest {
  private final ManualTime time = new ManualTime();
  private final StopSignal stop = new StopSignal();
  private final Permits one = Permits.fixed(1, time);
  private final Permits another = Permits.fixed(1, time);

  @Test
  void withoutALimitThereIsAlwaysOne() throws Exception {
    Permits unlimited = Permits.unlimited();
    for (int i = 0; i < 1000; i++) {
      take(unlimited);
    }
    take(unlimited).release();
  }

  @Test
  void givesAsManyAsThereAre() throws Exception {
    Permits two = Permits.fixed(2, time);
    take(two);
    Permit second = take(two);
    var third = Background.call(() -> two.acquire(stop));
    time.awaitParked(1);
    second.release();
    assertThat(third.join()).isNotNull();
  }

  @Test
  void releasingTwiceGivesBackOnce() throws Exception {
    Permit permit = take(one);
    permit.release();
    permit.release();
    take(one);
    var waiting = Background.call(() -> one.acquire(stop));
    time.awaitParked(1);
    stop.request();
    assertThat(waiting.join()).isNull();
  }

  @Test
  void aStopEndsTheWait() throws Exception {
    take(one);
    var waiting = Background.call(() -> one.acquire(stop));
    time.awaitParked(1);
    stop.request();
    assertThat(waiting.join()).isNull();
  }

  @Test
  void afterAStopThereIsNone() throws Exception {
    stop.request();
    assertThat(one.acquire(stop)).isNull();
    assertThat(Permits.unlimited().acquire(stop)).isNull();
    assertThat(one.acquire(new StopSignal())).isNotNull();
  }

  @Test
  void whoGaveUpTakesNoPermitAlong() throws Exception {
    Permit held = take(one);
    var waiting = Background.call(() -> one.acquire(stop));
    time.awaitParked(1);
    stop.request();
    waiting.join();
    held.release();
    assertThat(one.acquire(new StopSignal())).isNotNull();
  }

  @Test
  void anInterruptEndsTheWaitAndTakesNoPermitAlong() throws Exception {
    Permit held = take(one);
    var waiting = Background.call(() -> one.acquire(stop));
    time.awaitParked(1);
    waiting.thread().interrupt();
    assertThatThrownBy(waiting::join)
        .isInstanceOf(ExecutionException.class)
        .hasCauseInstanceOf(InterruptedException.class);
    held.release();
    take(one);
  }

  @Test
  void closingEndsTheWaitAndGivesNoMore() throws Exception {
    Permit held = take(one);
    var waiting = Background.call(() -> one.acquire(stop));
    time.awaitParked(1);
    one.close();
    assertThat(waiting.join()).isNull();
    held.release();
    assertThat(one.acquire(stop)).isNull();
    assertThat(stop.requested()).isFalse();
  }

  @Test
  void firstComeFirstServed() throws Exception {
    Permit held = take(one);
    List<Integer> order = new CopyOnWriteArrayList<>();
    List<Background<@Nullable Permit>> waiting = new CopyOnWriteArrayList<>();
    for (int i = 0; i < 4; i++) {
      int number = i;
      waiting.add(
          Background.<@Nullable Permit>call(
              () -> {
                Permit permit = one.acquire(stop);
                order.add(number);
                return permit;
              }));
      time.awaitParked(i + 1);
    }
    for (var background : waiting) {
      held.release();
      held = Objects.requireNonNull(background.join());
    }
    assertThat(order).containsExactly(0, 1, 2, 3);
  }

  @Test
  void prefersTheSharedOne() throws Exception {
    take(Permits.tiered(one, another));
    assertThat(one.available()).isZero();
    assertThat(another.available()).isOne();
  }

  @Test
  void fallsBackToTheGuaranteedOne() throws Exception {
    take(one);
    take(Permits.tiered(one, another));
    assertThat(another.available()).isZero();
  }

  @Test
  void takesTheSharedOneWhenTheGuaranteedAreGone() throws Exception {
    take(another);
    take(Permits.tiered(one, another));
    assertThat(one.available()).isZero();
  }

  @Test
  void tieredWaitsForEither() throws Exception {
    Permits tiered = Permits.tiered(one, another);
    Permit shared = take(one);
    Permit guaranteed = take(another);

    var first = Background.call(() -> tiered.acquire(stop));
    time.awaitParked(1);
    guaranteed.release();
    Permit got = Objects.requireNonNull(first.join());
    assertThat(another.available()).isZero();

    var second = Background.call(() -> tiered.acquire(stop));
    time.awaitParked(1);
    shared.release();
    assertThat(second.join()).isNotNull();
    assertThat(one.available()).isZero();

    got.release();
    assertThat(another.available()).isOne();
  }

  @Test
  void tieredGivesBackWhereItCameFrom() throws Exception {
    Permits tiered = Permits.tiered(one, another);
    Permit shared = take(tiered);
    Permit guaranteed = take(tiered);
    shared.release();
    assertThat(one.available()).isOne();
    assertThat(another.available()).isZero();
    guaranteed.release();
    assertThat(another.available()).isOne();
  }

  @Test
  void aStopEndsTheWaitForEither() throws Exception {
    take(one);
    take(another);
    var waiting = Background.call(() -> Permits.tiered(one, another).acquire(stop));
    time.awaitParked(1);
    stop.request();
    assertThat(waiting.join()).isNull();
  }

  @Test
  void closingATierLeavesTheSharedOnesToOthers() throws Exception {
    Permits tiered = Permits.tiered(one, another);
    tiered.close();
    assertThat(tiered.acquire(stop)).isNull();
    take(one);
  }

  @Test
  void saysHowManyAreFree() throws Exception {
    Permits tiered = Permits.tiered(one, Permits.fixed(3, time));
    take(tiered);
    assertThat(tiered.available()).isEqualTo(3);
    assertThat(one.available()).isZero();
    assertThat(Permits.unlimited().available()).isEqualTo(Integer.MAX_VALUE);
  }

  @Test
  void refusesNonsense() {
    assertThatThrownBy(() -> Permits.fixed(0, time)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Permits.tiered(Permits.unlimited(), one))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private Permit take(Permits permits) throws InterruptedException {
    return Objects.requireNonNull(permits.acquire(stop));
  }
}
