package dev.waybill.internal.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.internal.loop.Crew;
import dev.waybill.internal.loop.Crews;
import dev.waybill.internal.outbox.Queues.Place;
import dev.waybill.internal.store.QueueStore.QueueRow;
import dev.waybill.outbox.HeadFailure;
import dev.waybill.outbox.LeaseConfig;
import dev.waybill.outbox.Logged;
import dev.waybill.outbox.MessageResult;
import dev.waybill.outbox.Partitions;
import dev.waybill.outbox.QueueConfig;
import dev.waybill.outbox.QueueHandler;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Who begins deliveries, where there is nobody to carry them out. */
class ProcessorTest {
  private static final String QUEUE = "parcels";
  private static final long PARTITION = 7;

  private final TestTime time = new TestTime();
  private final ReadyPartitions ready = new ReadyPartitions(time, () -> {}, () -> 0.5);
  private final AtomicBoolean exhausted = new AtomicBoolean();
  private final Crew crew = Crews.withoutThreads(time, exhausted::get);
  private final CountDownLatch served = new CountDownLatch(1);
  private final Logged log = new Logged("dev.waybill");
  private final Queues queues =
      Queues.of(
          List.of(
              new QueueConfig(
                  QUEUE,
                  Partitions.of(1),
                  new QueueHandler.Leased(message -> MessageResult.ok()),
                  LeaseConfig.defaults(),
                  HeadFailure.block(),
                  0,
                  Duration.ZERO,
                  Duration.ofMillis(1),
                  null)),
          List.of(new QueueRow(1, QUEUE, Duration.ZERO, List.of(PARTITION))));
  private final Processor processor =
      new Processor(
          ready,
          queues,
          Map.of(
              QUEUE,
              (place, turn) -> {
                turn.done(false);
                served.countDown();
              }),
          crew);

  @AfterEach
  void stop() {
    crew.stop(Duration.ofSeconds(10));
    log.close();
  }

  @Test
  void aPartitionThatGetsNoThreadIsServedWhenThereIsOneAgain() throws Exception {
    crew.start();
    ready.mark(QUEUE, List.of(PARTITION));
    exhausted.set(true);
    processor.runOnce();
    assertThat(served.getCount()).isEqualTo(1);
    assertThat(ready.untilNext()).hasValueSatisfying(wait -> assertThat(wait).isPositive());
    assertThat(log.count("unable to create native thread")).isEqualTo(1);
    exhausted.set(false);
    time.advance(Duration.ofSeconds(1));
    processor.runOnce();
    assertThat(served.await(30, TimeUnit.SECONDS)).isTrue();
  }

  /** Who has taken the lease already hears of it, and gives it back. */
  @Test
  void whoComesWithMessagesIsToldThatThereIsNoThread() {
    crew.start();
    Place place = Objects.requireNonNull(queues.place(PARTITION));
    Turn<String> turn = Objects.requireNonNull(ready.takeIdle(QUEUE, PARTITION));
    exhausted.set(true);
    assertThat(processor.begin(place, turn, () -> {})).isFalse();
    assertThat(ready.untilNext()).isPresent();
  }
}
