package dev.waybill.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What listeners and the log hear of a loop. */
@Timeout(60)
class LoopListenersTest extends LoopInManualTime {
  @Test
  void listenersHearStartAndStop() throws Exception {
    var events = new Events();
    start(options.withListeners(events));
    stopAndJoin();
    assertThat(events.heard)
        .containsExactly("started", "running", "completed PT0S when rung", "stopped");
  }

  @Test
  void listenersHearHowLongARunTook() throws Exception {
    var events = new Events();
    worker.does(
        () -> {
          time.advance(ms(7));
          return Next.sleep(HOUR);
        });
    start(options.withListeners(events));
    assertThat(events.heard).contains("completed PT0.007S sleep PT1H");
  }

  @Test
  void listenersHearAStreakAndItsEnd() throws Exception {
    var events = new Events();
    worker.fails(2);
    start(options.withListeners(events));
    advance(100);
    advance(200);
    assertThat(events.heard)
        .containsExactly(
            "started",
            "running",
            "failed 1 broken, PT0.1S",
            "running",
            "failed 2 broken, PT0.2S",
            "running",
            "recovered 2 PT0.3S",
            "completed PT0S when rung");
  }

  @Test
  void aStreakIsLoggedOnceAndItsEndOnce() throws Exception {
    worker.fails(5);
    start(options);
    for (int i = 0; i < 100; i++) {
      advance(100);
    }
    assertThat(log.linesAt(Level.WARN)).hasSize(1);
    assertThat(log.linesAt(Level.INFO))
        .containsExactly("worker works again after 5 failures in PT3.1S");
  }

  @Test
  void listenersAreToldInTheirOrder() throws Exception {
    List<String> order = new CopyOnWriteArrayList<>();
    start(
        options.withListeners(
            new LoopListener() {
              @Override
              public void running(String name) {
                order.add("first " + name);
              }
            },
            new LoopListener() {
              @Override
              public void running(String name) {
                order.add("second " + name);
              }
            }));
    assertThat(order).containsExactly("first worker", "second worker");
  }

  @Test
  void aBrokenListenerHarmsNobody() throws Exception {
    var events = new Events();
    start(
        options.withListeners(
            new LoopListener() {
              @Override
              public void running(String name) {
                throw new IllegalStateException("listener");
              }

              @Override
              public void completed(String name, Duration took, Next next) {
                throw new AssertionError("listener");
              }
            },
            events));
    bell.ring();
    time.awaitParked(1);
    assertThat(worker.runs()).hasSize(2);
    assertThat(events.heard).hasSize(5);
    assertThat(log.linesAt(Level.ERROR)).hasSize(4).allMatch(line -> line.contains("listener"));
  }

  private static final class Events implements LoopListener {
    private final List<String> heard = new CopyOnWriteArrayList<>();

    @Override
    public void started(String name) {
      heard.add("started");
    }

    @Override
    public void running(String name) {
      heard.add("running");
    }

    @Override
    public void completed(String name, Duration took, Next next) {
      heard.add("completed " + took + " " + next);
    }

    @Override
    public void failed(
        String name, Throwable error, int failures, Duration took, Duration retryIn) {
      heard.add("failed " + failures + " " + error.getMessage() + ", " + retryIn);
    }

    @Override
    public void recovered(String name, int failures, Duration lasted) {
      heard.add("recovered " + failures + " " + lasted);
    }

    @Override
    public void stopped(String name) {
      heard.add("stopped");
    }
  }
}
