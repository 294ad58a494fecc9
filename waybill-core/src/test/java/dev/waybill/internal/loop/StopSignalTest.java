package dev.waybill.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class StopSignalTest {
  private final StopSignal stop = new StopSignal();
  private final AtomicInteger alarms = new AtomicInteger();

  @Test
  void isSeenOnceRequested() {
    assertThat(stop.requested()).isFalse();
    stop.request();
    assertThat(stop.requested()).isTrue();
  }

  @Test
  void alarmsThoseWhoWait() {
    Runnable gone = alarms::incrementAndGet;
    stop.add(gone);
    stop.remove(gone);
    stop.add(() -> alarms.addAndGet(stop.requested() ? 10 : 100));
    stop.request();
    assertThat(alarms).hasValue(10);
  }
}
