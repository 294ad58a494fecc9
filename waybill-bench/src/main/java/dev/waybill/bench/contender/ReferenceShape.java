package dev.waybill.bench.contender;

import dev.waybill.bench.load.Business;
import dev.waybill.bench.load.Parcel;
import dev.waybill.bench.load.Receiver;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The tables and the statements of the system whose outbox Waybill set out to better, in the
 * numbers of its high-throughput profile: enqueue in pieces of 100, three sequencers with batches
 * of 2,000, four processors with leases and batches of 100, vacuum in pieces of 10,000.
 *
 * <p>It is kinder than the original in that nobody pauses while there is work, one process wakes
 * its own workers after the commit instead of before it, and the reconciler comes every second
 * instead of every minute. The vacuum runs every second instead of every hour: a run without it
 * would leave half of the work undone.
 */
final class ReferenceShape implements Contender {
  private static final int SEQUENCERS = 3;
  private static final int PROCESSORS = 4;
  private static final int IDLE_MILLIS = 1;
  private static final int VACUUM_MILLIS = 1_000;
  private static final int RECONCILE_MILLIS = 1_000;

  private final Crowd crowd = new Crowd();
  private final DirtyLanes unsequenced = new DirtyLanes();
  private final DirtyLanes unprocessed = new DirtyLanes();
  private @Nullable Stage stage;
  private @Nullable Transactions transactions;
  private @Nullable ReferenceEnqueue enqueue;

  @Override
  public void prepare(Stage on) throws SQLException {
    ReferenceTables.create(on);
  }

  @Override
  public void open(Stage on) {
    stage = on;
    transactions = new Transactions(on.pool());
    enqueue = new ReferenceEnqueue(on);
  }

  @Override
  public void start(Receiver receiver) {
    Stage on = Given.here(stage);
    Transactions all = Given.here(transactions);
    var sequencer = new ReferenceSequencer(on, all, unsequenced, unprocessed);
    var processor = new ReferenceProcessor(on, all, unprocessed, receiver);
    var vacuum = new ReferenceVacuum(all);
    crowd.add(SEQUENCERS, "sequencer", IDLE_MILLIS, sequencer::visit);
    crowd.add(PROCESSORS, "processor", IDLE_MILLIS, processor::visit);
    crowd.add(1, "vacuum", VACUUM_MILLIS, vacuum::sweep);
    crowd.add(1, "reconciler", RECONCILE_MILLIS, () -> markAll(on));
  }

  /** Finds what was enqueued before the start, or by another process. */
  private boolean markAll(Stage on) {
    for (int lane = 1; lane <= on.lanes(); lane++) {
      unsequenced.mark(lane);
      unprocessed.mark(lane);
    }
    return false;
  }

  @Override
  public void send(Business business, List<Parcel> parcels) throws Exception {
    Stage on = Given.here(stage);
    ReferenceEnqueue rows = Given.here(enqueue);
    Given.here(transactions)
        .run(
            connection -> {
              business.doIn(connection);
              rows.insert(connection, parcels);
            });
    parcels.stream()
        .map(parcel -> ReferenceTables.partition(on, parcel))
        .collect(Collectors.toSet())
        .forEach(unsequenced::mark);
  }

  @Override
  public void stop() throws InterruptedException {
    crowd.stop();
  }
}
