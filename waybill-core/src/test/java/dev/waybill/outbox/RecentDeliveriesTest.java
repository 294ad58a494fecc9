package dev.waybill.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.Fault;
import dev.waybill.testkit.Fault.Moment;
import dev.waybill.testkit.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How long deliveries take, as a process learns it that delivers nothing. */
@EveryDatabase
@Timeout(120)
class RecentDeliveriesTest {
  private static final String QUEUE = "orders";

  private final Service service;

  RecentDeliveriesTest(TestDatabase database) {
    service = new Service(database.fresh());
  }

  @AfterEach
  void close() {
    service.close();
  }

  @Test
  void aProcessWithoutWorkersKnowsWhatOthersDelivered() throws Exception {
    AtomicInteger tries = new AtomicInteger();
    Outbox works =
        service.start(
            o ->
                o.queue(QUEUE, Partitions.of(1))
                    .leased(
                        message ->
                            message.text().equals("bad") && tries.getAndIncrement() == 0
                                ? MessageResult.retry("not yet")
                                : MessageResult.ok()));
    Outbox looks = service.start(OutboxBuilder::withoutWorkers);
    assertThat(looks.recentDeliveries()).isEmpty();
    Service.send(works, QUEUE, "a", "bad", "c");
    Service.await(
        () -> looks.recentDeliveries().stream().anyMatch(each -> each.times().total() == 3));

    List<RecentDeliveries> told = looks.recentDeliveries();
    RecentDeliveries only = told.get(0);
    assertThat(told).hasSize(1);
    assertThat(only.queue()).isEqualTo(QUEUE);
    assertThat(only.retried()).isEqualTo(1);
    assertThat(only.rejected()).isZero();
    assertThat(only.times().percentile(0.99).orElseThrow())
        .isBetween(Duration.ofNanos(1), Duration.ofSeconds(30));
    assertThat(only.ago()).isLessThan(Duration.ofSeconds(30));
  }

  @Test
  void whereItCannotBeWrittenMessagesAreDeliveredAllTheSame() throws Exception {
    service.faulty().on(Fault.sql(sql -> sql.contains("outbox_pace"))).always().fail(Moment.BEFORE);
    Received received = new Received();
    try (Logged log = new Logged("dev.waybill.internal.loop")) {
      Outbox works =
          service.start(
              o ->
                  o.queue(QUEUE, Partitions.of(1))
                      .leased(
                          message -> {
                            received.add(message);
                            return MessageResult.ok();
                          }));
      Service.send(works, QUEUE, "a");
      received.await(1);
      Service.await(() -> log.count("pace-keeper failed (1 in a row)") >= 1);
      Service.send(works, QUEUE, "b", "c");
      assertThat(received.await(3)).containsExactly("a", "b", "c");
      Service.await(() -> log.count("pace-keeper failed (3 in a row)") >= 1);
      assertThat(log.warnings()).as("one line for a streak").hasSize(1);
    }
  }
}
