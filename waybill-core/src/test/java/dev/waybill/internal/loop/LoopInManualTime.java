package dev.waybill.internal.loop;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleSupplier;
import org.junit.jupiter.api.AfterEach;

/** A loop of one scripted worker, in manual time. */
abstract class LoopInManualTime {
  static final Duration HOUR = Duration.ofHours(1);

  final ManualTime time = new ManualTime();
  final StopSignal stop = new StopSignal();
  final ScriptedWorker worker = new ScriptedWorker("worker", time);
  final Bell bell = new Bell();
  final LoopOptions options =
      LoopOptions.defaults().withBells(bell).withBackoff(Backoff.standard().withJitter(0));
  final LogCapture log = new LogCapture(Loop.class);
  final List<Background<Boolean>> loops = new ArrayList<>();

  @AfterEach
  void release() throws Exception {
    stopAndJoin();
    log.close();
  }

  /** Starts the worker and waits until it waits. */
  void start(LoopOptions with) throws InterruptedException {
    launch(worker, with);
    time.awaitParked(1);
  }

  void start(LoopOptions with, DoubleSupplier jitter) throws InterruptedException {
    loops.add(Background.run(new Loop(worker, with, time, jitter, stop)));
    time.awaitParked(1);
  }

  Background<Boolean> launch(Worker launched, LoopOptions with) {
    var loop = Background.run(new Loop(launched, with, time, () -> 0.5, stop));
    loops.add(loop);
    return loop;
  }

  void advance(long millis) throws InterruptedException {
    time.advance(ms(millis));
    time.awaitParked(1);
  }

  void stopAndJoin() throws Exception {
    stop.request();
    for (var loop : loops) {
      loop.join();
    }
  }

  static Duration ms(long millis) {
    return Duration.ofMillis(millis);
  }
}
