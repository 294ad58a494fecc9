package dev.waybill.testkit;

import static java.time.Duration.ofHours;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ManualTimeTest {
  private static final Duration SOON = ofSeconds(10);

  private final ManualTime time = new ManualTime();
  private final Signals signals = new Signals();
  private final List<Sleeper> sleepers = new ArrayList<>();

  @AfterEach
  void endThreads() throws Exception {
    for (var sleeper : sleepers) {
      sleeper.thread.interrupt();
      sleeper.thread.join(SOON.toMillis());
      assertThat(sleeper.thread.isAlive()).isFalse();
    }
  }

  @Test
  void movesOnlyWhenTold() {
    var start = Instant.parse("2031-05-06T07:08:09Z");
    var own = new ManualTime(start);
    assertThat(own.now()).isEqualTo(start);
    long before = own.nanos();
    own.advance(ofSeconds(90));
    assertThat(own.now()).isEqualTo(start.plusSeconds(90));
    assertThat(own.nanos() - before).isEqualTo(ofSeconds(90).toNanos());
    assertThatThrownBy(() -> own.advance(ofSeconds(-1)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void jumpsOfTheWallClockWakeNobody() throws Exception {
    var sleeper = sleeper("a", ofSeconds(5).toNanos());
    time.awaitParked(1, SOON);
    var start = time.now();
    time.jumpWall(ofHours(2));
    time.jumpWall(ofHours(-3));
    assertThat(time.now()).isEqualTo(start.minus(ofHours(1)));
    assertThat(time.nanos()).isZero();
    time.awaitParked(1, SOON);
    assertThat(sleeper.rounds).hasValue(0);
  }

  @Test
  void aWaiterWakesAtItsDeadlineAndNotBefore() throws Exception {
    var sleeper = sleeper("a", 1000);
    time.awaitParked(1, SOON);
    time.advance(Duration.ofNanos(999));
    time.awaitParked(1, SOON);
    assertThat(sleeper.rounds).hasValue(0);
    time.advance(Duration.ofNanos(1));
    time.awaitParked(1, SOON);
    assertThat(sleeper.rounds).hasValue(1);
  }

  @Test
  void everyAdvanceIsSeenExactlyOnceBeforeParkedAgain() throws Exception {
    var first = sleeper("a", 10);
    var second = sleeper("b", 20);
    for (int round = 1; round <= 2000; round++) {
      time.awaitParked(2, SOON);
      time.advance(Duration.ofNanos(10));
      time.awaitParked(2, SOON);
      assertThat(first.rounds).hasValue(round);
      assertThat(second.rounds).hasValue(round / 2);
    }
  }

  @Test
  void aSignalledThreadIsNotParkedUntilItWaitsAgain() throws Exception {
    var sleeper = sleeper("a", -1);
    for (int round = 1; round <= 2000; round++) {
      time.awaitParked(1, SOON);
      sleeper.signal();
      time.awaitParked(1, SOON);
      assertThat(sleeper.rounds).hasValue(round);
    }
  }

  @Test
  void aSignalledThreadThatCannotGoOnIsNotParked() throws Exception {
    var sleeper = sleeper("a", -1);
    assertNotParkedWhileItsLockIsHeld(sleeper, sleeper.condition::signal);
  }

  @Test
  void anInterruptedThreadThatCannotGoOnIsNotParked() throws Exception {
    var sleeper = sleeper("a", -1);
    assertNotParkedWhileItsLockIsHeld(sleeper, sleeper.thread::interrupt);
  }

  private void assertNotParkedWhileItsLockIsHeld(Sleeper sleeper, Runnable wake) throws Exception {
    time.awaitParked(1, SOON);
    sleeper.lock.lock();
    try {
      wake.run();
      assertThatThrownBy(() -> time.awaitParked(1, ofMillis(20)))
          .isInstanceOf(AssertionError.class)
          .hasMessageContaining("1 parked threads");
    } finally {
      sleeper.lock.unlock();
    }
  }

  @Test
  void threadsMayShareACondition() throws Exception {
    var lock = new ReentrantLock();
    var condition = lock.newCondition();
    var soon = sleeper(new Sleeper("soon", 10, lock, condition));
    var never = sleeper(new Sleeper("never", -1, lock, condition));
    for (int round = 1; round <= 500; round++) {
      time.awaitParked(2, SOON);
      time.advance(Duration.ofNanos(10));
      time.awaitParked(2, SOON);
      assertThat(soon.rounds).hasValue(round);
    }
    assertThat(never.rounds).as("early returns, as documented").hasValue(500);
  }

  @Test
  void anInterruptWakesTheWaiter() throws Exception {
    var sleeper = sleeper("a", -1);
    time.awaitParked(1, SOON);
    sleeper.thread.interrupt();
    signals.await("a interrupted", SOON);
    assertThat(time.nanosToNextDeadline()).isEmpty();
  }

  @Test
  void anInterruptThatCameBeforeIsSeenToo() {
    var lock = new ReentrantLock();
    lock.lock();
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> time.await(lock, lock.newCondition(), 5))
        .isInstanceOf(InterruptedException.class);
    assertThat(lock.isHeldByCurrentThread()).isTrue();
    assertThat(Thread.interrupted()).isFalse();
  }

  @Test
  void knowsTheNextDeadlineAndGoesThere() throws Exception {
    assertThat(time.nanosToNextDeadline()).isEmpty();
    assertThatThrownBy(time::advanceToNextDeadline).isInstanceOf(IllegalStateException.class);
    var near = sleeper("near", 30);
    var far = sleeper("far", 70);
    sleeper("without", Long.MAX_VALUE);
    time.awaitParked(3, SOON);
    assertThat(time.nanosToNextDeadline()).hasValue(30);
    time.advance(Duration.ofNanos(10));
    assertThat(time.nanosToNextDeadline()).hasValue(20);
    time.advanceToNextDeadline();
    time.awaitParked(3, SOON);
    assertThat(near.rounds).hasValue(1);
    assertThat(far.rounds).hasValue(0);
    assertThat(time.nanos()).isEqualTo(30);
    assertThat(time.nanosToNextDeadline()).hasValue(30);
  }

  @Test
  void waitingForNothingReturnsAtOnce() throws Exception {
    var lock = new ReentrantLock();
    lock.lock();
    try {
      time.await(lock, lock.newCondition(), 0);
    } finally {
      lock.unlock();
    }
    assertThatThrownBy(() -> time.await(lock, lock.newCondition(), 0))
        .isInstanceOf(IllegalMonitorStateException.class);
  }

  private Sleeper sleeper(String name, long nanos) {
    var lock = new ReentrantLock();
    return sleeper(new Sleeper(name, nanos, lock, lock.newCondition()));
  }

  private Sleeper sleeper(Sleeper sleeper) {
    sleepers.add(sleeper);
    sleeper.thread.start();
    return sleeper;
  }

  /** Counts how often its wait ended; until it is interrupted. */
  private final class Sleeper {
    final AtomicInteger rounds = new AtomicInteger();
    final ReentrantLock lock;
    final Condition condition;
    final Thread thread;

    Sleeper(String name, long nanos, ReentrantLock lock, Condition condition) {
      this.lock = lock;
      this.condition = condition;
      this.thread = new Thread(() -> run(name, nanos), name);
    }

    private void run(String name, long nanos) {
      lock.lock();
      try {
        while (true) {
          time.await(lock, condition, nanos);
          rounds.incrementAndGet();
        }
      } catch (InterruptedException e) {
        signals.fire(name + " interrupted");
      } finally {
        lock.unlock();
      }
    }

    void signal() {
      lock.lock();
      try {
        condition.signal();
      } finally {
        lock.unlock();
      }
    }
  }
}
