package dev.waybill.internal.outbox;

import dev.waybill.internal.sql.Tx;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How the messages of one transaction get on their way: with its commit if they find their
 * partition idle, else announced right after it. For one thread.
 */
final class Departure {
  private final @Nullable Express express;
  private final Events events;
  private final List<Receipt> receipts = new ArrayList<>();
  private Express.@Nullable Load load;

  /** Of a transaction that has enqueued nothing yet; without the short way everything waits. */
  Departure(@Nullable Express express, Events events) {
    this.express = express;
    this.events = events;
  }

  void add(Receipt receipt) {
    receipts.add(receipt);
  }

  /** All work of the transaction is done. */
  void beforeCommit(Tx tx) {
    if (express != null && !receipts.isEmpty()) {
      load = express.depart(tx, receipts);
    }
  }

  void committed() {
    if (load == null) {
      receipts.forEach(Receipt::flush);
      return;
    }
    int messages = load.counts().values().stream().mapToInt(Integer::intValue).sum();
    events.sequenced(messages, load.age());
    load.close();
  }

  /** Perhaps the commit went through all the same. */
  void failed() {
    if (load != null) {
      load.lost();
    }
  }
}
