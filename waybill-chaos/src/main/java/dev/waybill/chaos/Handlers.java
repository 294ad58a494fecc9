package dev.waybill.chaos;

import dev.waybill.outbox.Batch;
import dev.waybill.outbox.HandlerResult;
import dev.waybill.outbox.HandlerTransaction;
import dev.waybill.outbox.OutboxMessage;
import dev.waybill.spi.OutboxListener;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;

/** The two handlers of a process, and what the outbox tells about them. */
final class Handlers implements OutboxListener {
  private record Place(long seq, long epoch) {}

  private final Diary diary;
  private final AtomicBoolean hold = new AtomicBoolean();
  private final Map<Integer, Place> handled = new ConcurrentHashMap<>();

  Handlers(Diary diary) {
    this.diary = diary;
  }

  Diary diary() {
    return diary;
  }

  void hold() {
    hold.set(true);
  }

  HandlerResult parcels(Batch batch) throws InterruptedException {
    for (OutboxMessage each = batch.next(); each != null; each = batch.next()) {
      diary.given(each.partition(), each.seq(), batch.epoch(), each.text());
      if (hold.get()) {
        System.out.println("holding");
        new CountDownLatch(1).await();
      }
      batch.ack();
      handled.put(each.partition(), new Place(each.seq(), batch.epoch()));
      if (batch.remaining().isZero()) {
        break;
      }
    }
    return HandlerResult.success();
  }

  @Override
  public void delivered(String queue, int partition, int messages, Duration took) {
    Place place = queue.equals(WorkerMain.PARCELS) ? handled.get(partition) : null;
    if (place != null) {
      diary.stored(partition, place.seq, place.epoch);
    }
  }

  @Override
  public void leaseLost(String queue, int partition, long epoch) {
    diary.leaseLost(partition, epoch);
  }

  /** Some fail at first and are parked with their key, some for good. */
  HandlerResult book(HandlerTransaction tx, OutboxMessage message) throws SQLException {
    if (Books.isRejected(message.text())) {
      return HandlerResult.reject("not for this ledger");
    }
    Books.effect(
        tx.connection(), message.partition(), message.seq(), message.text(), message.key());
    if (isOvertaken(tx.connection(), message)) {
      diary.disorder(message.toString());
    }
    return message.seq() % 47 == 0 && message.attempts() == 0
        ? HandlerResult.retry("not at first")
        : HandlerResult.success();
  }

  private static boolean isOvertaken(Connection connection, OutboxMessage message)
      throws SQLException {
    try (var later =
        connection.prepareStatement(
            "select count(*) from effects where part = ? and message_key = ? and seq > ?")) {
      later.setInt(1, message.partition());
      later.setString(2, message.key());
      later.setLong(3, message.seq());
      try (var count = later.executeQuery()) {
        return count.next() && count.getLong(1) > 0;
      }
    }
  }
}
