package dev.waybill.bench.contender;

import dev.waybill.Waybill;
import dev.waybill.bench.load.Business;
import dev.waybill.bench.load.Parcel;
import dev.waybill.bench.load.Receiver;
import dev.waybill.outbox.EnqueueMessage;
import dev.waybill.outbox.HandlerResult;
import dev.waybill.outbox.MessageResult;
import dev.waybill.outbox.Outbox;
import dev.waybill.outbox.OutboxBuilder;
import dev.waybill.outbox.OutboxProfile;
import dev.waybill.outbox.Partitions;
import dev.waybill.outbox.QueueBuilder;
import dev.waybill.schema.Schema;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Waybill, with the profile for what the scenario asks for and the defaults otherwise; a handler
 * that takes one message at a time, as most do.
 */
final class WaybillContender implements Contender {
  private static final String QUEUE = "parcels";

  private final boolean leased;
  private @Nullable Stage stage;
  private @Nullable Waybill running;

  WaybillContender(boolean leased) {
    this.leased = leased;
  }

  @Override
  public void prepare(Stage on) {
    Schema.migrate(on.pool());
  }

  @Override
  public void open(Stage on) {
    stage = on;
    running = run(on, outbox -> queue(on, outbox.withoutWorkers()).produceOnly());
  }

  @Override
  public void start(Receiver receiver) {
    Stage on = Given.here(stage);
    Given.here(running).close();
    running =
        run(
            on,
            outbox ->
                handled(
                    queue(on, outbox.profile(profile(on.pace())).processors(processors(on))),
                    receiver));
  }

  /**
   * A leased handler holds no connection, and what several ask of the database goes in one
   * transaction; a transactional one holds its own, and SQLite has one writer.
   */
  private int processors(Stage on) {
    return leased ? 16 : on.isSqlite() ? 1 : 4;
  }

  private void handled(QueueBuilder queue, Receiver receiver) {
    if (leased) {
      queue.leased(
          message -> {
            receiver.receive(message.text());
            return MessageResult.ok();
          });
    } else {
      queue.transactional(
          (tx, message) -> {
            receiver.receive(message.text());
            return HandlerResult.success();
          });
    }
  }

  private static QueueBuilder queue(Stage on, OutboxBuilder outbox) {
    return outbox.queue(QUEUE, Partitions.of(on.lanes()));
  }

  private static OutboxProfile profile(Stage.Pace pace) {
    return switch (pace) {
      case THROUGHPUT -> OutboxProfile.highThroughput();
      case LATENCY -> OutboxProfile.lowLatency();
    };
  }

  private static Waybill run(Stage on, Consumer<OutboxBuilder> setup) {
    return Waybill.builder(on.pool()).outbox(setup).start();
  }

  @Override
  public void send(Business business, List<Parcel> parcels) throws Exception {
    Stage on = Given.here(stage);
    Outbox outbox = Given.here(running).outbox();
    outbox.inTransaction(
        QUEUE,
        connection -> {
          business.doIn(connection);
          return parcels.stream().map(each -> message(on, each)).toList();
        });
  }

  private static EnqueueMessage message(Stage on, Parcel parcel) {
    return EnqueueMessage.of("parcel", parcel.text()).partition(on.lane(parcel.key()));
  }

  @Override
  public void stop() {
    Given.here(running).close();
  }
}
