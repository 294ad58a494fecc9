package dev.waybill.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A bell between several loops. What it does to a single one is in {@link LoopRingsTest}. */
@Timeout(60)
class BellTest {
  private final ManualTime time = new ManualTime();
  private final Bell bell = new Bell();
  private final List<StopSignal> stops = new ArrayList<>();
  private final List<Background<Boolean>> loops = new ArrayList<>();

  @AfterEach
  void release() throws Exception {
    stops.forEach(StopSignal::request);
    for (var loop : loops) {
      loop.join();
    }
  }

  @Test
  void aRingWakesOneTheLongestWaiting() throws Exception {
    var workers = startWorkers(3);
    assertThat(runs(workers)).containsExactly(1, 1, 1);
    ringAndSettle(3);
    assertThat(runs(workers)).containsExactly(2, 1, 1);
    ringAndSettle(3);
    assertThat(runs(workers)).containsExactly(2, 2, 1);
  }

  @Test
  void asManyRingsWakeAsMany() throws Exception {
    var workers = startWorkers(3);
    bell.ring();
    bell.ring();
    time.awaitParked(3);
    assertThat(runs(workers)).containsExactly(2, 2, 1);
  }

  @Test
  void ringAllWakesAll() throws Exception {
    var workers = startWorkers(3);
    bell.ringAll();
    time.awaitParked(3);
    assertThat(runs(workers)).containsExactly(2, 2, 2);
  }

  @Test
  void ringAllReachesTheBusyToo() throws Exception {
    var running = new CountDownLatch(1);
    var goOn = new CountDownLatch(1);
    var busy = worker();
    busy.does(
        () -> {
          running.countDown();
          Background.await(goOn);
          return Next.whenRung();
        });
    start(busy);
    Background.await(running);
    var idle = worker();
    start(idle);
    time.awaitParked(1);
    bell.ringAll();
    bell.ringAll();
    goOn.countDown();
    time.awaitParked(2);
    assertThat(busy.runs()).hasSize(2);
    assertThat(idle.runs()).hasSizeBetween(2, 3);
  }

  @Test
  void ringAllWithNobodyThereLeavesAnEarlierRingAlone() throws Exception {
    bell.ring();
    bell.ringAll();
    var worker = worker();
    start(worker);
    time.awaitParked(1);
    assertThat(worker.runs()).hasSize(1);
  }

  @Test
  void aRingWhileAllAreBusyIsTakenByTheFirstWhoIsDone() throws Exception {
    var running = new CountDownLatch(2);
    var goOn = List.of(new CountDownLatch(1), new CountDownLatch(1));
    var workers = List.of(worker(), worker());
    for (int i = 0; i < 2; i++) {
      var latch = goOn.get(i);
      workers
          .get(i)
          .does(
              () -> {
                running.countDown();
                Background.await(latch);
                return Next.whenRung();
              });
      start(workers.get(i));
    }
    Background.await(running);
    bell.ring();
    bell.ring();
    goOn.get(1).countDown();
    time.awaitParked(1);
    goOn.get(0).countDown();
    time.awaitParked(2);
    assertThat(runs(workers)).containsExactly(1, 2);
  }

  @Test
  void aRingForOneInBackoffGoesToItsNeighbour() throws Exception {
    var failing = worker().fails(1);
    start(failing);
    time.awaitParked(1);
    var idle = worker();
    start(idle);
    time.awaitParked(2);
    ringAndSettle(2);
    assertThat(failing.runs()).hasSize(1);
    assertThat(idle.runs()).hasSize(2);
  }

  @Test
  void whoStopsOwingAnAnswerRingsForTheOthers() throws Exception {
    var failing = worker().answers(Next.whenRung()).fails(1);
    start(failing);
    time.awaitParked(1);
    var idle = worker();
    start(idle);
    time.awaitParked(2);

    ringAndSettle(2); // The failing one takes it, and fails.
    assertThat(failing.runs()).hasSize(2);
    assertThat(idle.runs()).hasSize(1);

    stops.get(0).request();
    loops.get(0).join();
    time.awaitParked(1);
    assertThat(idle.runs()).hasSize(2);
  }

  @Test
  void whoStopsOwingNothingRingsForNobody() throws Exception {
    var workers = startWorkers(2);
    ringAndSettle(2);
    stops.get(0).request();
    loops.get(0).join();
    time.awaitParked(1);
    assertThat(runs(workers)).containsExactly(2, 1);
  }

  @Test
  void whoHasLeftIsNotRung() throws Exception {
    var workers = startWorkers(2);
    stops.get(0).request();
    loops.get(0).join();
    ringAndSettle(1);
    assertThat(runs(workers)).containsExactly(1, 2);
  }

  @Test
  void noRingIsLostHoweverTheyCome() throws Exception {
    var made = new AtomicLong();
    var seen = new AtomicLong();
    Callback see = () -> seen.accumulateAndGet(made.get(), Math::max);
    for (int i = 0; i < 3; i++) {
      start(
          worker()
              .thenAlways(
                  () -> {
                    see.call();
                    return Next.whenRung();
                  }));
    }
    int producers = 3;
    int rounds = 20_000;
    List<Background<Boolean>> ringing = new ArrayList<>();
    for (int i = 0; i < producers; i++) {
      ringing.add(
          Background.run(
              () -> {
                for (int n = 0; n < rounds; n++) {
                  made.incrementAndGet();
                  bell.ring();
                }
              }));
    }
    for (var producer : ringing) {
      producer.join();
    }
    time.awaitParked(3);
    assertThat(seen).hasValue((long) producers * rounds);
  }

  private interface Callback {
    void call();
  }

  private void ringAndSettle(int parked) throws InterruptedException {
    bell.ring();
    time.awaitParked(parked);
  }

  private List<ScriptedWorker> startWorkers(int count) throws InterruptedException {
    List<ScriptedWorker> workers = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      workers.add(worker());
      start(workers.get(i));
      time.awaitParked(i + 1);
    }
    return workers;
  }

  private ScriptedWorker worker() {
    return new ScriptedWorker("worker-" + stops.size(), time);
  }

  private void start(ScriptedWorker worker) {
    var stop = new StopSignal();
    stops.add(stop);
    var options =
        LoopOptions.defaults()
            .withBells(bell)
            .withBackoff(Backoff.standard().withInitial(Duration.ofSeconds(1)));
    loops.add(Background.run(new Loop(worker, options, time, () -> 0.5, stop)));
  }

  private static List<Integer> runs(List<ScriptedWorker> workers) {
    return workers.stream().map(worker -> worker.runs().size()).toList();
  }
}
