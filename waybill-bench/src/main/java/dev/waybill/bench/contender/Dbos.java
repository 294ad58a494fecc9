package dev.waybill.bench.contender;

import dev.dbos.transact.DBOS;
import dev.dbos.transact.DBOSClient;
import dev.dbos.transact.config.DBOSConfig;
import dev.dbos.transact.workflow.Queue;
import dev.dbos.transact.workflow.Workflow;
import dev.waybill.bench.load.Business;
import dev.waybill.bench.load.Parcel;
import dev.waybill.bench.load.Receiver;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * DBOS: one workflow without steps per message, on a queue that is polled every 100 ms with up to a
 * hundred at a time. It commits by itself, so a message is sent after the business transaction, not
 * in it.
 */
final class Dbos implements Contender {
  private static final String QUEUE = "parcels";
  private static final int WORKERS = 100;

  private @Nullable Stage stage;
  private @Nullable Transactions transactions;
  private @Nullable DBOSClient client;
  private @Nullable DBOS dbos;

  @Override
  public void prepare(Stage on) {
    try (DBOS migrating = running(on, text -> {})) {
      migrating.launch();
      migrating.shutdown();
    }
  }

  @Override
  public void open(Stage on) {
    stage = on;
    transactions = new Transactions(on.pool());
    client = new DBOSClient(on.pool());
  }

  @Override
  public void start(Receiver receiver) {
    dbos = running(Given.here(stage), receiver);
    dbos.launch();
  }

  private static DBOS running(Stage on, Receiver receiver) {
    DBOS dbos =
        new DBOS(DBOSConfig.defaults("bench").withDataSource(on.pool()).withAppVersion("1"));
    dbos.registerQueue(
        new Queue(QUEUE)
            .withWorkerConcurrency(WORKERS)
            .withPollingInterval(Duration.ofMillis(100)));
    dbos.registerProxy(Delivering.class, new Delivery(receiver));
    return dbos;
  }

  @Override
  public void send(Business business, List<Parcel> parcels) throws Exception {
    if (business != Business.NONE) {
      Given.here(transactions).run(business::doIn);
    }
    for (Parcel parcel : parcels) {
      Given.here(client)
          .enqueueWorkflow(
              new DBOSClient.EnqueueOptions("deliver", Delivery.class.getName(), QUEUE)
                  .withAppVersion("1"),
              new Object[] {parcel.text()});
    }
  }

  @Override
  public void stop() {
    Given.here(dbos).shutdown();
  }

  /** What DBOS makes a proxy of. */
  public interface Delivering {
    /** Handles one message. */
    void deliver(String text);
  }

  /** The workflow. */
  public static final class Delivery implements Delivering {
    private final Receiver receiver;

    Delivery(Receiver receiver) {
      this.receiver = receiver;
    }

    @Override
    @Workflow(name = "deliver")
    public void deliver(String text) {
      receiver.receive(text);
    }
  }
}
