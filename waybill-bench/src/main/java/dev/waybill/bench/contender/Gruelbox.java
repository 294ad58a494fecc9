package dev.waybill.bench.contender;

import com.gruelbox.transactionoutbox.DefaultPersistor;
import com.gruelbox.transactionoutbox.Dialect;
import com.gruelbox.transactionoutbox.Instantiator;
import com.gruelbox.transactionoutbox.Submitter;
import com.gruelbox.transactionoutbox.ThreadLocalContextTransactionManager;
import com.gruelbox.transactionoutbox.TransactionManager;
import com.gruelbox.transactionoutbox.TransactionOutbox;
import dev.waybill.bench.load.Business;
import dev.waybill.bench.load.Parcel;
import dev.waybill.bench.load.Receiver;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * gruelbox transaction-outbox 4.2, the newest whose jar can be had; ordered topics came later. Its
 * own thread-local transaction manager; work is submitted after commit to an executor with the
 * default's queue of 16,384, on eight threads; the flush loop of its manual, every 100 ms, picks up
 * what is due.
 */
final class Gruelbox implements Contender {
  private static final int THREADS = 8;
  private static final int QUEUE = 16_384;
  private static final int FLUSH_BATCH = 4_096;
  private static final Duration NEXT_ATTEMPT = Duration.ofSeconds(10);
  // It refuses an attempt that is not in the future.
  private static final Duration SOON = Duration.ofSeconds(2);

  private final Crowd crowd = new Crowd();
  private final ExecutorService executor =
      new ThreadPoolExecutor(
          THREADS, THREADS, 1, TimeUnit.SECONDS, new ArrayBlockingQueue<>(QUEUE));
  private @Nullable Stage stage;
  private @Nullable ThreadLocalContextTransactionManager transactions;
  private @Nullable TransactionOutbox outbox;
  private volatile boolean sent;

  @Override
  public void prepare(Stage on) {
    build(on, (entry, work) -> {}, SOON, new Calls(text -> {}));
  }

  @Override
  public void open(Stage on) {
    stage = on;
    outbox = build(on, (entry, work) -> {}, SOON, new Calls(text -> {}));
  }

  @Override
  public void start(Receiver receiver) throws InterruptedException {
    if (sent) {
      TimeUnit.NANOSECONDS.sleep(SOON.toNanos());
    }
    TransactionOutbox started =
        build(
            Given.here(stage), Submitter.withExecutor(executor), NEXT_ATTEMPT, new Calls(receiver));
    outbox = started;
    crowd.add(1, "flush", 100, started::flush);
  }

  private TransactionOutbox build(
      Stage on, Submitter submitter, Duration nextAttempt, Calls calls) {
    transactions = TransactionManager.fromDataSource(on.pool());
    return TransactionOutbox.builder()
        .transactionManager(transactions)
        .persistor(
            DefaultPersistor.builder()
                .dialect(on.isPostgres() ? Dialect.POSTGRESQL_9 : Dialect.MY_SQL_8)
                .build())
        .instantiator(Instantiator.using(type -> calls))
        .submitter(submitter)
        .attemptFrequency(nextAttempt)
        .flushBatchSize(FLUSH_BATCH)
        .serializeMdc(false)
        .build();
  }

  @Override
  public void send(Business business, List<Parcel> parcels) throws Exception {
    TransactionOutbox to = Given.here(outbox);
    sent = true;
    Given.here(transactions)
        .inTransactionThrows(
            transaction -> {
              business.doIn(transaction.connection());
              for (Parcel parcel : parcels) {
                to.schedule(Calls.class).receive(parcel.text());
              }
            });
  }

  @Override
  public void stop() throws InterruptedException {
    crowd.stop();
    executor.shutdownNow();
    executor.awaitTermination(10, TimeUnit.SECONDS);
  }

  /** What is called; the outbox makes a subclass of it. */
  public static class Calls {
    private final Receiver receiver;

    Calls(Receiver receiver) {
      this.receiver = receiver;
    }

    /** Handles one message. */
    public void receive(String text) {
      receiver.receive(text);
    }
  }
}
