package dev.waybill;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.internal.sql.Database;
import dev.waybill.internal.store.CursorMove;
import dev.waybill.internal.store.Delivery;
import dev.waybill.internal.store.Lease;
import dev.waybill.internal.store.MessageStore;
import dev.waybill.internal.store.NewMessage;
import dev.waybill.internal.store.QueueStore;
import dev.waybill.internal.store.Rotation;
import dev.waybill.internal.store.Stores;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.TestDatabase;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Messages are delivered and cleared away while the doctor is looking at them. */
@EveryDatabase
@Timeout(120)
class DoctorAtWorkTest {
  private static final Duration LEASE = Duration.ofMinutes(1);

  private final TestDatabase database;
  private final Examined examined;
  private final Database open;
  private final MessageStore messages;
  private final long partition;

  DoctorAtWorkTest(TestDatabase given) {
    database = Migrated.on(given);
    examined = Examined.on(given);
    open = Stores.open(database.dataSource());
    messages = MessageStore.of(open);
    partition =
        new QueueStore(open)
            .register(List.of(new QueueStore.Wanted("orders", 1, Duration.ZERO)))
            .get(0)
            .partitionIds()
            .get(0);
  }

  @Test
  void whatIsClearedAwayBetweenTheSnapshotAndTheLookDoesNotSeemToBeMissing() throws Exception {
    enqueue(3);
    AtomicBoolean looked = new AtomicBoolean();
    DataSource source =
        beforeTheFirst(
            database.product() == DatabaseProduct.MYSQL
                    || database.product() == DatabaseProduct.MARIADB
                ? "outbox_body"
                : "outbox_outgoing",
            () -> {
              looked.set(true);
              enqueue(2);
              deliver(3);
              clear();
            });

    List<Finding> findings = Doctor.examine(source);

    assertThat(looked).isTrue();
    assertThat(examined.worse(findings)).isEmpty();
    assertThat(messages.state(partition).processedSeq()).isEqualTo(5);
  }

  private void enqueue(int count) {
    NewMessage message =
        new NewMessage(partition, "test", null, Map.of(), new byte[100], null, null);
    open.transact(tx -> messages.enqueue(tx, Collections.nCopies(count, message)));
    messages.sequence(new long[] {partition}, 100);
  }

  private void deliver(int atATime) {
    for (Optional<Delivery> next = lease(atATime); next.isPresent(); next = lease(atATime)) {
      Delivery delivery = next.get();
      long last = delivery.messages().get(delivery.messages().size() - 1).seq();
      messages.end(
          new Lease(partition, "me", delivery.epoch(), LEASE),
          CursorMove.doneUpTo(last),
          List.of());
    }
  }

  private Optional<Delivery> lease(int atMost) {
    return messages.lease(partition, "me", LEASE, atMost);
  }

  private void clear() {
    Optional<Rotation> rotation = Rotation.of(open, new Rotation.Limits(1, 1, 1, Duration.ZERO));
    if (rotation.isEmpty()) {
      assertThat(messages.vacuum(partition, Duration.ZERO, 100).messages()).isEqualTo(5);
      return;
    }
    long cleared = 0;
    for (int turns = 0; turns < 5; turns++) {
      cleared += rotation.get().turn().messages();
    }
    assertThat(cleared).isEqualTo(5);
  }

  /** Does something else before the first statement with this name in it is prepared. */
  private DataSource beforeTheFirst(String name, Runnable somethingElse) {
    AtomicBoolean done = new AtomicBoolean();
    return (DataSource)
        Proxy.newProxyInstance(
            DataSource.class.getClassLoader(),
            new Class<?>[] {DataSource.class},
            (proxy, method, args) -> watched(database.connect(), name, done, somethingElse));
  }

  private static Connection watched(
      Connection connection, String name, AtomicBoolean done, Runnable somethingElse) {
    return (Connection)
        Proxy.newProxyInstance(
            Connection.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, args) -> {
              if (method.getName().equals("prepareStatement")
                  && args[0].toString().contains(name)
                  && done.compareAndSet(false, true)) {
                somethingElse.run();
              }
              try {
                return method.invoke(connection, args);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}
