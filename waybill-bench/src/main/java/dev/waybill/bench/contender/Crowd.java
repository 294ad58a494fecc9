package dev.waybill.bench.contender;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Worker threads of the contenders that we wrote: each turns until it is told to stop. */
final class Crowd {
  private static final Logger LOG = LoggerFactory.getLogger(Crowd.class);
  // Deadlock, serialization failure, lock timeout: what everybody repeats.
  private static final Set<String> CONTENTION = Set.of("40001", "40P01", "55P03", "HY000");

  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean stopping;

  /** Starts threads whose turn answers whether there may be more to do at once. */
  void add(int count, String name, long idleMillis, Turn turn) {
    for (int i = 0; i < count; i++) {
      Thread thread = new Thread(() -> run(turn, idleMillis), name + "-" + i);
      threads.add(thread);
      thread.start();
    }
  }

  private void run(Turn turn, long idleMillis) {
    try {
      while (!stopping) {
        if (!oneTurn(turn)) {
          TimeUnit.MILLISECONDS.sleep(idleMillis);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private boolean oneTurn(Turn turn) throws InterruptedException {
    try {
      return turn.take();
    } catch (InterruptedException e) {
      throw e;
    } catch (SQLException e) {
      if (!CONTENTION.contains(String.valueOf(e.getSQLState()))) {
        LOG.warn("A worker failed", e);
      }
      return false;
    } catch (Exception e) {
      LOG.warn("A worker failed", e);
      return false;
    }
  }

  void stop() throws InterruptedException {
    stopping = true;
    for (Thread thread : threads) {
      thread.join(TimeUnit.SECONDS.toMillis(10));
    }
    threads.forEach(Thread::interrupt);
  }

  interface Turn {
    boolean take() throws Exception;
  }
}
