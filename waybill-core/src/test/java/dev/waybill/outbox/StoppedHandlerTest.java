package dev.waybill.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.Waybill;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.TestDatabase;
import java.io.InterruptedIOException;
import java.nio.channels.ClosedByInterruptException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

/** A deploy is no fault of the message: what a stop interrupts was not tried. */
@EveryDatabase
class StoppedHandlerTest {
  private final Service service;
  private final String queue;
  private final Received received = new Received();
  private final Logged log = new Logged("dev.waybill");

  StoppedHandlerTest(TestDatabase database, TestInfo test) {
    this.service = new Service(database);
    this.queue = test.getTestMethod().orElseThrow().getName();
  }

  @AfterEach
  void stop() {
    service.close();
    log.close();
  }

  /** What handlers make of an interrupt. */
  private enum Reaction {
    INTERRUPTED,
    CHANNEL_CLOSED,
    IO_INTERRUPTED,
    WRAPPED,
    HIDDEN,
    ERROR,
    ASKS_FOR_A_RETRY;

    /** Returns if the handler is to ask for a retry. */
    void to(InterruptedException interrupt) throws Exception {
      switch (this) {
        case INTERRUPTED -> throw interrupt;
        case CHANNEL_CLOSED -> throw new ClosedByInterruptException();
        case IO_INTERRUPTED -> throw new InterruptedIOException();
        case WRAPPED -> throw new IllegalStateException(new RuntimeException(interrupt));
        case HIDDEN -> throw new IllegalStateException("no answer");
        case ERROR -> throw new AssertionError("interrupted");
        case ASKS_FOR_A_RETRY -> Thread.currentThread().interrupt();
      }
    }
  }

  /** Runs until the stop interrupts it. */
  private interface Work {
    void run() throws Exception;
  }

  private interface Delivery {
    void of(QueueBuilder queue, Work work);
  }

  @Test
  void aTransactionalOne() throws Exception {
    check(
        (each, work) ->
            each.transactional(
                (tx, message) -> {
                  received.add(message);
                  work.run();
                  return HandlerResult.retry("interrupted");
                }));
  }

  @Test
  void aTransactionalBatch() throws Exception {
    check(
        (each, work) ->
            each.batchTransactional(
                (tx, messages) -> {
                  received.add(messages.get(0));
                  work.run();
                  return HandlerResult.retry("interrupted");
                }));
  }

  @Test
  void aLeasedOne() throws Exception {
    check(
        (each, work) ->
            each.leased(
                message -> {
                  received.add(message);
                  work.run();
                  return MessageResult.retry("interrupted");
                }));
  }

  @Test
  void aLeasedBatch() throws Exception {
    check(
        (each, work) ->
            each.batchLeased(
                batch -> {
                  received.add(batch.nextChunk(1).get(0));
                  work.run();
                  return HandlerResult.retry("interrupted");
                }));
  }

  private void check(Delivery delivery) throws Exception {
    CountDownLatch never = new CountDownLatch(1);
    boolean first = true;
    int calls = 0;
    for (Reaction reaction : Reaction.values()) {
      Waybill waybill =
          service.waybill(
              Duration.ofMillis(1),
              o ->
                  delivery.of(
                      o.profile(Service.NEVER_LOOKS)
                          .queue(queue, Partitions.of(1))
                          .onFailure(HeadFailure.deadLetterAfter(1)),
                      () -> {
                        try {
                          never.await(60, TimeUnit.SECONDS);
                        } catch (InterruptedException e) {
                          reaction.to(e);
                        }
                      }));
      if (first) {
        Service.send(waybill.outbox(), queue, "a");
        first = false;
      }
      calls++;
      received.await(calls);
      waybill.close();
      assertThat(service.deadLetters(queue)).as("%s", reaction).isZero();
    }

    service.start(
        o ->
            o.profile(Service.NEVER_LOOKS)
                .queue(queue, Partitions.of(1))
                .onFailure(HeadFailure.deadLetterAfter(1))
                .leased(
                    message -> {
                      received.add(message);
                      return MessageResult.ok();
                    }));
    int last = calls + 1;
    List<OutboxMessage> all = received.await(messages -> messages.size() >= last);
    assertThat(all).extracting(OutboxMessage::text).containsOnly("a");
    assertThat(all).extracting(OutboxMessage::attempts).containsOnly(0);
  }
}
