package dev.waybill.internal.outbox;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.internal.loop.Bell;
import dev.waybill.internal.loop.Crew;
import dev.waybill.internal.loop.LoopOptions;
import dev.waybill.internal.loop.Next;
import dev.waybill.internal.loop.Time;
import dev.waybill.internal.loop.Worker;
import dev.waybill.internal.outbox.DirtyPartitions.Claim;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Dirty partitions between real workers: nobody forgets one, nobody sleeps past one. */
@Timeout(60)
class PartitionsAtWorkTest {
  private static final Duration PATIENCE = ofSeconds(20);

  private final TestTime time = new TestTime();
  private final Bell bell = new Bell();
  private final DirtyPartitions dirty = new DirtyPartitions(time, bell, Gathering.of(10));
  private final Crew crew = new Crew(time, () -> 0.5);

  @AfterEach
  void stop() {
    crew.stop(ofSeconds(10));
  }

  @Test
  void aFailedVisitIsRepeatedThoughNobodyRings() throws Exception {
    var visits = new AtomicInteger();
    hire(
        crew,
        dirty,
        bell,
        claim -> {
          if (visits.incrementAndGet() == 1) {
            claim.failed(claim.ids());
          } else {
            claim.done(claim.ids(), true);
          }
        });
    crew.start();
    time.manual().awaitParked(1, PATIENCE);
    dirty.mark(List.of(7L));
    time.manual().awaitParked(1, PATIENCE);
    assertThat(visits).hasValue(1);
    time.manual().advanceToNextDeadline();
    time.manual().awaitParked(1, PATIENCE);
    assertThat(visits).hasValue(2);
    assertThat(time.manual().nanosToNextDeadline()).isEmpty();
  }

  /** The one who would have watched the cooldown is stuck; the other one slept without a limit. */
  @Test
  void aBusyWorkerDoesNotTakeTheAlarmWithIt() throws Exception {
    var stuck = new CountDownLatch(1);
    var reached = new CountDownLatch(1);
    var served = new ConcurrentLinkedQueue<Long>();
    var failedOnce = new AtomicInteger();
    Consumer<Claim> sequencer =
        claim -> {
          if (claim.ids().contains(8L)) {
            reached.countDown();
            await(stuck);
          }
          if (claim.ids().contains(7L) && failedOnce.incrementAndGet() == 1) {
            claim.failed(claim.ids());
            return;
          }
          served.addAll(claim.ids());
          claim.done(claim.ids(), true);
        };
    hire(crew, dirty, bell, sequencer);
    hire(crew, dirty, bell, sequencer);
    crew.start();
    time.manual().awaitParked(2, PATIENCE);
    dirty.mark(List.of(7L));
    time.manual().awaitParked(2, PATIENCE);
    dirty.mark(List.of(8L));
    await(reached);
    // Nobody will ring again. One worker is stuck with 8; the other must come for 7 by itself.
    time.manual().awaitParked(1, PATIENCE);
    long giveUp = System.nanoTime() + PATIENCE.toNanos();
    while (served.isEmpty() && System.nanoTime() < giveUp) {
      time.advance(ofMillis(50));
      time.manual().awaitParked(1, PATIENCE);
    }
    assertThat(served).containsExactly(7L);
    assertThat(time.nanos()).isLessThan(Duration.ofHours(1).plusMinutes(5).toNanos());
    stuck.countDown();
  }

  /** Real threads, real time: no partition in two hands, and a visit after every mark. */
  @Test
  void manyProducersAndSequencers() throws Exception {
    int partitions = 50;
    var realBell = new Bell();
    var shared = new DirtyPartitions(Time.system(), realBell, Gathering.of(10));
    var marks = new AtomicLongArray(partitions);
    var seen = new AtomicLongArray(partitions);
    var holders = new AtomicIntegerArray(partitions);
    var clashes = new AtomicInteger();
    var realCrew = new Crew(Time.system());
    for (int i = 0; i < 4; i++) {
      hire(
          realCrew,
          shared,
          realBell,
          claim -> {
            for (long id : claim.ids()) {
              int partition = (int) id;
              if (holders.incrementAndGet(partition) != 1) {
                clashes.incrementAndGet();
              }
              int luck = ThreadLocalRandom.current().nextInt(20);
              boolean visited = luck > 0;
              if (visited) {
                seen.set(partition, marks.get(partition));
              }
              holders.decrementAndGet(partition);
              if (visited) {
                claim.done(List.of(id), luck > 5);
              } else {
                claim.skipped(List.of(id));
              }
            }
          });
    }
    realCrew.start();
    try {
      var producers = new CountDownLatch(4);
      for (int i = 0; i < 4; i++) {
        realCrew.run(
            "producer",
            () -> {
              for (int n = 0; n < 20_000; n++) {
                int partition = ThreadLocalRandom.current().nextInt(partitions);
                marks.incrementAndGet(partition);
                shared.mark(List.of((long) partition));
              }
              producers.countDown();
            });
      }
      assertThat(producers.await(30, TimeUnit.SECONDS)).isTrue();
      long giveUp = System.nanoTime() + PATIENCE.toNanos();
      while (shared.size() > 0 && System.nanoTime() < giveUp) {
        Thread.onSpinWait();
      }
    } finally {
      realCrew.stop(ofSeconds(10));
    }
    assertThat(shared.size()).isZero();
    assertThat(clashes).hasValue(0);
    for (int partition = 0; partition < partitions; partition++) {
      assertThat(seen.get(partition)).isEqualTo(marks.get(partition));
    }
  }

  private static void hire(Crew crew, DirtyPartitions dirty, Bell bell, Consumer<Claim> visit) {
    crew.add(
        new Worker() {
          @Override
          public String name() {
            return "sequencer";
          }

          @Override
          public Next runOnce() {
            try (Claim claim = dirty.take(3)) {
              if (!claim.isEmpty()) {
                visit.accept(claim);
              }
            }
            return dirty.next();
          }
        },
        LoopOptions.defaults().withBells(bell));
  }

  private static void await(CountDownLatch latch) {
    try {
      if (!latch.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
        throw new AssertionError("Waited in vain");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
