package dev.waybill.bench.contender;

import dev.waybill.bench.load.Receiver;
import java.util.concurrent.atomic.AtomicReference;

/** For libraries that store the name of a method and call it later. */
public final class JobReceiver {
  private static final AtomicReference<Receiver> RECEIVER = new AtomicReference<>(text -> {});

  private JobReceiver() {}

  static void to(Receiver receiver) {
    RECEIVER.set(receiver);
  }

  /** Handles one message. */
  public static void receive(String text) {
    Given.here(RECEIVER.get()).receive(text);
  }
}
