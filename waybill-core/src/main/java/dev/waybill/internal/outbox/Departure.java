package dev.waybill.internal.outbox;

import dev.waybill.internal.sql.Endings.Companion;
import dev.waybill.internal.sql.Tx;
import dev.waybill.internal.store.MessageStore;
import dev.waybill.internal.store.NewMessage;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How the messages of one transaction get on their way: with its commit if they find their
 * partition idle, else announced right after it. For one thread.
 */
final class Departure implements Companion {
  private final @Nullable Express express;
  private final Events events;

  /** Those that go the ordinary way if there is no load. */
  private final List<Receipt> receipts = new ArrayList<>();

  private @Nullable Receipt last;
  private Express.@Nullable Load load;

  /** Of a transaction that has enqueued nothing yet; without the short way everything waits. */
  Departure(@Nullable Express express, Events events) {
    this.express = express;
    this.events = events;
  }

  void add(Receipt receipt) {
    receipts.add(receipt);
  }

  @Override
  public void beforeCommit(Tx tx) {
    if (express != null && !receipts.isEmpty()) {
      load = express.depart(tx, receipts);
    }
  }

  /** Stores messages as the last thing of the transaction, perhaps with its commit. */
  long[] storeLast(Tx tx, List<NewMessage> messages, MessageStore store) {
    NewMessage first = messages.get(0);
    if (express != null && receipts.isEmpty() && messages.size() == 1 && !first.isDelayed()) {
      Express.Departed departed = express.departLast(tx, first);
      if (departed != null) {
        load = departed.load();
        return new long[] {departed.id()};
      }
    }
    return store.enqueueLast(tx, messages);
  }

  /** What was stored last, unless it has departed, is announced. */
  void addLast(Receipt receipt) {
    if (load == null || !receipts.isEmpty()) {
      last = receipt;
    }
  }

  @Override
  public void committed() {
    if (load != null) {
      int messages = load.counts().values().stream().mapToInt(Integer::intValue).sum();
      events.sequenced(messages, load.age());
      load.close();
    }
    announce();
  }

  private void announce() {
    if (load == null) {
      receipts.forEach(Receipt::flush);
    }
    if (last != null) {
      last.flush();
    }
  }

  @Override
  public void failed(boolean known) {
    if (load != null) {
      load.lost(known);
    }
    if (!known) {
      // They may be there all the same.
      announce();
    }
  }
}
