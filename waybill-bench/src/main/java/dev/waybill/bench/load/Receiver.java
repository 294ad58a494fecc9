package dev.waybill.bench.load;

/** The handler that every contender calls, as soon as it would do the work of the message. */
@FunctionalInterface
public interface Receiver {
  /** Takes a message by its text. Called by many threads. */
  void receive(String text);
}
