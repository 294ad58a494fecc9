package dev.waybill.internal.sql;

import java.sql.Connection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Transactions of the user's that end in our hands, and who wants to hear of it: whoever stores
 * something with such a connection knows when all of the transaction's work is done.
 *
 * <p>Safe for use by many threads.
 */
public final class Endings {
  /** Hears of the end of a transaction, on the thread that ends it. */
  public interface Companion {
    /** All work of the transaction is done. */
    void beforeCommit(Tx tx);

    /** The transaction is durable. */
    void committed();

    /**
     * It is not.
     *
     * @param known false if the commit may have gone through all the same, as no answer came
     */
    void failed(boolean known);
  }

  /** The end of one transaction. For one thread. */
  public static final class Ending {
    private final Map<Class<?>, Companion> companions = new LinkedHashMap<>();

    /** The companion of its kind, which is there once. */
    public <C extends Companion> C with(Class<C> kind, Supplier<C> made) {
      return kind.cast(companions.computeIfAbsent(kind, first -> made.get()));
    }

    /** See {@link Companion}. */
    public void beforeCommit(Tx tx) {
      companions.values().forEach(each -> each.beforeCommit(tx));
    }

    /** See {@link Companion}. */
    public void committed() {
      tell(Companion::committed);
    }

    /** See {@link Companion}. */
    public void failed(boolean known) {
      tell(each -> each.failed(known));
    }

    /** All of them, also if one of them fails: each has something that must be let go of. */
    private void tell(Consumer<Companion> news) {
      RuntimeException first = null;
      for (Companion each : companions.values()) {
        try {
          news.accept(each);
        } catch (RuntimeException e) {
          if (first == null) {
            first = e;
          } else {
            first.addSuppressed(e);
          }
        }
      }
      if (first != null) {
        throw first;
      }
    }
  }

  private final Map<Connection, Ending> open = new ConcurrentHashMap<>();

  /** The user's work with this connection begins. */
  public void begin(Connection connection, Ending ending) {
    open.put(connection, ending);
  }

  /** The user's work with this connection is done. */
  public void workDone(Connection connection) {
    open.remove(connection);
  }

  /** The end of the transaction on this connection, if that is in our hands. */
  public @Nullable Ending of(Connection connection) {
    return open.get(connection);
  }
}
