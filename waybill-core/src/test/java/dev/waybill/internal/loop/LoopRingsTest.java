package dev.waybill.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** When a ring leads to a run. Several loops at one bell are in {@link BellTest}. */
@Timeout(60)
class LoopRingsTest extends LoopInManualTime {
  @Test
  void aRingBeforeTheStartIsAnsweredByTheFirstRun() throws Exception {
    bell.ring();
    start(options);
    assertThat(worker.runs()).hasSize(1);
  }

  @Test
  void aRingDuringARunIsAnsweredByAnother() throws Exception {
    worker.does(
        () -> {
          bell.ring();
          return Next.whenRung();
        });
    start(options);
    assertThat(worker.runs()).hasSize(2);
  }

  @Test
  void aRingDuringARunOutlivesAHardWait() throws Exception {
    worker.does(
        () -> {
          bell.ring();
          return Next.after(ms(10));
        });
    start(options);
    assertThat(worker.runs()).hasSize(1);
    advance(10);
    assertThat(worker.runs()).containsExactly(0L, 10L);
  }

  @Test
  void manyRingsAreOneRun() throws Exception {
    worker.does(
        () -> {
          for (int i = 0; i < 5; i++) {
            bell.ring();
          }
          return Next.whenRung();
        });
    start(options);
    assertThat(worker.runs()).hasSize(2);
  }

  @Test
  void anyOfSeveralBellsWakes() throws Exception {
    var bells = List.of(new Bell(), new Bell(), new Bell());
    start(options.withBells(bells.toArray(new Bell[0])));
    for (Bell each : bells) {
      each.ring();
      time.awaitParked(1);
    }
    assertThat(worker.runs()).hasSize(4);
  }

  @Test
  void ringsOfSeveralBellsDuringOneRunAreOneRun() throws Exception {
    var other = new Bell();
    worker.does(
        () -> {
          bell.ring();
          other.ring();
          return Next.whenRung();
        });
    start(options.withBells(bell, other));
    assertThat(worker.runs()).hasSize(2);
  }
}
