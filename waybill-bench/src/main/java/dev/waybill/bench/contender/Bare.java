package dev.waybill.bench.contender;

import dev.waybill.bench.load.Business;
import dev.waybill.bench.load.Parcel;
import dev.waybill.bench.load.Receiver;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The producer's transaction alone: what the business costs without any outbox. */
final class Bare implements Contender {
  private @Nullable Transactions transactions;
  private @Nullable Receiver receiver;

  @Override
  public void prepare(Stage stage) {}

  @Override
  public void open(Stage stage) {
    transactions = new Transactions(stage.pool());
  }

  @Override
  public void start(Receiver to) {
    receiver = to;
  }

  @Override
  public void send(Business business, List<Parcel> parcels) throws Exception {
    Given.here(transactions).run(business::doIn);
    parcels.forEach(each -> Given.here(receiver).receive(each.text()));
  }

  @Override
  public void stop() {}
}
