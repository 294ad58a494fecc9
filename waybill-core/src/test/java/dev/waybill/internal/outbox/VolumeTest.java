package dev.waybill.internal.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class VolumeTest {
  private final AtomicInteger rings = new AtomicInteger();
  private final Volume volume = new Volume(10, rings::incrementAndGet);

  @Test
  void ringsForEverySoManyMessagesOfEitherKind() {
    sequenced(4);
    sequenced(5);
    delivered(9);
    assertThat(rings).hasValue(0);
    sequenced(1);
    assertThat(rings).hasValue(1);
    delivered(35);
    assertThat(rings).hasValue(2);
    delivered(5);
    assertThat(rings).hasValue(2);
  }

  private void sequenced(int messages) {
    volume.sequenced(messages, Duration.ZERO);
  }

  private void delivered(int messages) {
    volume.delivered("orders", 0, messages, Duration.ZERO);
  }
}
