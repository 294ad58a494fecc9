package dev.waybill.outbox;

import dev.waybill.Waybill;
import dev.waybill.testkit.ChildJvm;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.FaultProxy;
import dev.waybill.testkit.TestDatabase;
import dev.waybill.testkit.TestServer;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Processes, connections and the server die in every way we know while producers go on; afterwards
 * the history is checked. A lease lasts a second, so that its end is seen.
 */
@Tag("long")
class ChaosTest {
  private static final Duration SOON = Duration.ofSeconds(60);

  private final List<ChildJvm> children = new ArrayList<>();
  private int names;

  @ParameterizedTest
  @EnumSource(
      value = DatabaseProduct.class,
      names = {"POSTGRESQL", "MARIADB"})
  @SuppressWarnings("try") // The two logs are kept quiet by being there.
  void whateverDiesTheHistoryIsAsPromised(DatabaseProduct product) throws Exception {
    AtomicBoolean enough = new AtomicBoolean();
    try (Logged log = new Logged("dev.waybill");
        Logged pools = new Logged("com.zaxxer.hikari");
        TestServer server = TestServer.own(product)) {
      TestDatabase database = ChaosHistory.prepared(server.database());
      URI address = URI.create(database.url().substring("jdbc:".length()));
      try (FaultProxy proxy = new FaultProxy(address.getHost(), address.getPort())) {
        String url = database.url().replace(":" + address.getPort(), ":" + proxy.port());
        ChildJvm one = start(database, url, Duration.ZERO);
        ChildJvm two = start(database, url, Duration.ofHours(1));
        try (var pool = ChaosWorker.pool(url, database.user(), database.password(), 6);
            Waybill producer = producer(pool)) {
          List<Thread> producers = new ArrayList<>();
          for (String name : List.of("a", "b", "c")) {
            producers.add(new Thread(() -> ChaosWorker.produce(producer.outbox(), name, enough)));
          }
          producers.forEach(Thread::start);
          one = disturb(server, database, proxy, url, one, two);
          enough.set(true);
          for (Thread each : producers) {
            each.join();
          }
        }
        ChaosHistory.drain(database);
        ChaosHistory.check(database, children);
      }
    } finally {
      enough.set(true);
      children.forEach(ChildJvm::close);
    }
  }

  /** Every kind of trouble, with some undisturbed work in between. */
  private ChildJvm disturb(
      TestServer server,
      TestDatabase database,
      FaultProxy proxy,
      String url,
      ChildJvm first,
      ChildJvm second)
      throws Exception {
    ChildJvm one = first;
    ChaosHistory.work(database);
    one.send("hold");
    one.awaitLine("holding", SOON);
    one.kill();
    ChaosHistory.work(database);
    one = start(database, url, Duration.ofHours(-1));
    for (int i = 0; i < 2; i++) {
      proxy.cutAll();
      ChaosHistory.work(database);
      proxy.dropReplies();
      ChaosHistory.work(database);
    }
    second.pause();
    LockSupport.parkNanos(Duration.ofMillis(1_500).toNanos());
    ChaosHistory.work(database);
    second.resume();
    ChaosHistory.work(database);
    server.kill();
    server.start();
    ChaosHistory.work(database);
    proxy.refuse();
    proxy.cutAll();
    LockSupport.parkNanos(Duration.ofMillis(500).toNanos());
    proxy.accept();
    ChaosHistory.work(database);
    one.kill();
    one = start(database, url, Duration.ZERO);
    ChaosHistory.work(database);
    return one;
  }

  private ChildJvm start(TestDatabase database, String url, Duration skew) throws Exception {
    ChildJvm child =
        ChaosWorker.child(url, database.user(), database.password(), "")
            .name("worker " + ++names)
            .skew(skew)
            .start();
    children.add(child);
    child.awaitLine("ready", SOON);
    return child;
  }

  private static Waybill producer(DataSource pool) {
    return Waybill.builder(pool)
        .outbox(
            o ->
                o.withoutWorkers()
                    .queue("parcels", Partitions.of(ChaosWorker.PARTITIONS))
                    .produceOnly()
                    .queue("ledger", Partitions.of(2))
                    .produceOnly())
        .start();
  }
}
