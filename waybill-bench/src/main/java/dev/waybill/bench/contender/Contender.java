package dev.waybill.bench.contender;

import dev.waybill.bench.load.Business;
import dev.waybill.bench.load.Parcel;
import dev.waybill.bench.load.Receiver;
import java.util.List;

/**
 * Somebody who carries messages from a producer's transaction to a handler. The calls come in the
 * order of the methods here; only {@link #send} is called by many threads.
 */
public interface Contender {
  /** Makes its tables in an empty database; once per database. */
  void prepare(Stage stage) throws Exception;

  /** Gets ready to send, and delivers nothing yet; once per process. */
  void open(Stage stage) throws Exception;

  /** Delivers from now on. */
  void start(Receiver receiver) throws Exception;

  /**
   * One transaction of a producer: the business and the messages, committed when this returns. All
   * of the messages have the same producer.
   */
  void send(Business business, List<Parcel> parcels) throws Exception;

  /** Delivers no more and gives back all it holds. */
  void stop() throws Exception;
}
