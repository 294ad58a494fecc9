package dev.waybill.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Many short tasks, and long ones that hold nobody up. */
@Timeout(60)
class RelayTest extends CrewInManualTime {
  private final Queue<Integer> done = new ConcurrentLinkedQueue<>();
  private final Queue<Integer> refused = new ConcurrentLinkedQueue<>();

  private static List<Integer> numbers(int count) {
    return IntStream.range(0, count).boxed().toList();
  }

  @Test
  void longTasksHaveAThreadEach() throws Exception {
    var all = new CountDownLatch(40);
    var relay =
        new Relay<Integer>(
            crew,
            "relay",
            task -> {
              all.countDown();
              Background.awaitIgnoringInterrupts(all, () -> {});
              done.add(task);
            },
            refused::add);
    crew.start();
    relay.add(numbers(40));
    Background.await(all);
    assertThat(crew.stop(GRACE).isClean()).isTrue();
    assertThat(done).hasSize(40);
    assertThat(refused).isEmpty();
  }

  @Test
  void oneLongTaskHoldsUpNoneOfThoseThatComeLater() throws Exception {
    var end = new CountDownLatch(1);
    var others = new CountDownLatch(1_000);
    var relay =
        new Relay<Integer>(
            crew,
            "relay",
            task -> {
              if (task == 0) {
                Background.awaitIgnoringInterrupts(end, () -> {});
              } else {
                others.countDown();
              }
            },
            refused::add);
    crew.start();
    for (int task = 0; task <= 1_000; task++) {
      relay.add(List.of(task));
    }
    Background.await(others);
    end.countDown();
    assertThat(crew.stop(GRACE).isClean()).isTrue();
  }

  @Test
  void tasksThatComeFromManySidesAreDoneOnce() throws Exception {
    var relay = new Relay<Integer>(crew, "relay", done::add, refused::add);
    var turns = new Semaphore(0);
    crew.start();
    for (int side = 0; side < 4; side++) {
      int first = side * 5_000;
      crew.run(
          "side-" + side,
          () -> {
            for (int task = 0; task < 5_000; task += 2) {
              relay.add(List.of(first + task, first + task + 1));
            }
            turns.release();
          });
    }
    turns.acquire(4);
    assertThat(crew.stop(GRACE).isClean()).isTrue();
    Set<Integer> all = ConcurrentHashMap.newKeySet();
    all.addAll(done);
    all.addAll(refused);
    assertThat(all).hasSize(20_000);
    assertThat(done.size() + refused.size()).isEqualTo(20_000);
  }

  @Test
  void anInterruptIsForTheTaskThatItWasMeantFor() throws Exception {
    var second = new CountDownLatch(1);
    var interrupted = new AtomicBoolean();
    var relay =
        new Relay<Integer>(
            crew,
            "relay",
            task -> {
              if (task == 0) {
                Thread.currentThread().interrupt();
              } else {
                interrupted.set(Thread.currentThread().isInterrupted());
                second.countDown();
              }
            },
            refused::add);
    crew.start();
    relay.add(List.of(0, 1));
    Background.await(second);
    crew.stop(GRACE);
    assertThat(interrupted).isFalse();
  }

  @Test
  void aTaskThatThrowsCostsTheOthersNothing() throws Exception {
    var others = new CountDownLatch(9);
    var relay =
        new Relay<Integer>(
            crew,
            "relay",
            task -> {
              if (task == 0) {
                throw new AssertionError("task");
              }
              others.countDown();
            },
            refused::add);
    crew.start();
    relay.add(numbers(10));
    Background.await(others);
    assertThat(crew.stop(GRACE).isClean()).isTrue();
  }

  @Test
  void whatComesWhenTheCrewDoesNotRunIsRefused() {
    var relay = new Relay<Integer>(crew, "relay", done::add, refused::add);
    crew.start();
    crew.stop(GRACE);
    relay.add(numbers(3));
    assertThat(refused).containsExactly(0, 1, 2);
    assertThat(done).isEmpty();
  }

  /** Nobody begins anything new while the crew stops. */
  @Test
  void whatWaitsWhenTheCrewStopsIsRefused() throws Exception {
    var begun = new CountDownLatch(1);
    var relay =
        new Relay<Integer>(
            crew,
            "relay",
            task -> {
              begun.countDown();
              done.add(task);
            },
            refused::add);
    crew.start();
    relay.add(numbers(1_000));
    Background.await(begun);
    assertThat(crew.stop(GRACE).isClean()).isTrue();
    assertThat(done.size() + refused.size()).isEqualTo(1_000);
  }
}
