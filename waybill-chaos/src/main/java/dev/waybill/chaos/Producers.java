package dev.waybill.chaos;

import dev.waybill.outbox.EnqueueMessage;
import dev.waybill.outbox.Outbox;
import dev.waybill.outbox.TransactionWork;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * One transaction after the other, of one message or many, each with its row of business. Some are
 * rolled back, some take their time before they commit.
 */
final class Producers {
  private static final int[] SIZES = {1, 1, 1, 5, 20, 100};

  private final String name;
  private final Diary diary;
  private final AtomicBoolean enough = new AtomicBoolean();
  private final AtomicInteger number = new AtomicInteger();
  private final List<Thread> threads = new CopyOnWriteArrayList<>();

  Producers(String name, Diary diary) {
    this.name = name;
    this.diary = diary;
  }

  /** Ends them, and tells when the last transaction has. */
  void enough(Runnable quiet) {
    enough.set(true);
    Thread waiting =
        new Thread(
            () -> {
              for (Thread each : threads) {
                try {
                  each.join();
                } catch (InterruptedException e) {
                  throw new IllegalStateException(e);
                }
              }
              quiet.run();
            });
    waiting.setDaemon(true);
    waiting.start();
  }

  void start(Outbox outbox, long seed) {
    String producer = name + "-" + number.incrementAndGet();
    Thread thread =
        new Thread(() -> new Producer(outbox, producer, new Random(seed)).run(), producer);
    thread.setDaemon(true);
    threads.add(thread);
    thread.start();
  }

  private final class Producer {
    private final Outbox outbox;
    private final String producer;
    private final Random random;

    Producer(Outbox outbox, String producer, Random random) {
      this.outbox = outbox;
      this.producer = producer;
      this.random = random;
    }

    void run() {
      for (long n = 1; !enough.get(); ) {
        int size = SIZES[random.nextInt(SIZES.length)];
        boolean leased = random.nextInt(8) > 0;
        try {
          produce(leased ? WorkerMain.PARCELS : WorkerMain.LEDGER, n, size);
        } catch (RolledBack onPurpose) {
          diary.rolledBack(size);
        } catch (Exception unknown) {
          // Whether it was committed, the row of business knows. Too much may wait, or the database
          // be away.
          LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
        }
        n += size;
      }
    }

    private void produce(String queue, long first, int size) throws Exception {
      List<EnqueueMessage> messages = new ArrayList<>();
      for (long n = first; n < first + size; n++) {
        EnqueueMessage message = EnqueueMessage.of("test", Books.note(producer, n));
        messages.add(
            queue.equals(WorkerMain.PARCELS)
                ? message.partition(random.nextInt(WorkerMain.PARCEL_PARTITIONS))
                : message.key(producer + random.nextInt(10)));
      }
      boolean rollBack = random.nextInt(8) == 0;
      boolean late = random.nextInt(16) == 0;
      TransactionWork business =
          connection -> {
            Books.business(connection, queue, producer, first, size);
            if (late) {
              LockSupport.parkNanos(Duration.ofMillis(30).toNanos());
            }
            if (rollBack) {
              throw new RolledBack();
            }
          };
      if (random.nextBoolean()) {
        outbox.inTransaction(
            connection -> {
              outbox.enqueueBatch(connection, queue, messages);
              business.run(connection);
            });
      } else {
        outbox.inTransaction(
            queue,
            connection -> {
              business.run(connection);
              return messages;
            });
      }
    }
  }

  private static final class RolledBack extends RuntimeException {
    private static final long serialVersionUID = 1;
  }
}
