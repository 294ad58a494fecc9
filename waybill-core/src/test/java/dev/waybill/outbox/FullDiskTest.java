package dev.waybill.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.waybill.Waybill;
import dev.waybill.schema.Schema;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.TestDatabase;
import dev.waybill.testkit.TestServer;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A disk of memory, which is small and becomes full. What was committed is delivered when there is
 * room again, in order, and nobody is restarted for it, except a server that ended itself.
 */
@Tag("once")
@EveryDatabase
class FullDiskTest {
  private static final int PAYLOAD = 60_000;

  private final DatabaseProduct product;
  private final Received received = new Received();
  private final Logged log = new Logged("dev.waybill");
  private final Logged pools = new Logged("com.zaxxer.hikari");
  private final Path disk;
  private @Nullable TestServer server;

  FullDiskTest(TestDatabase database) throws Exception {
    product = database.product();
    // Servers that run as another user must get there, too.
    disk =
        Files.createDirectories(
            Path.of(System.getProperty("waybill.servers.dir", "target"), "disk-" + product));
    String size = product == DatabaseProduct.SQLITE ? "8m" : "400m";
    assumeTrue(
        runs("mount", "-t", "tmpfs", "-o", "mode=755,size=" + size, "tmpfs", disk.toString()),
        "Only root can mount a small disk, and no database can be told that its disk is full");
  }

  @AfterEach
  void stop() throws Exception {
    if (server != null) {
      server.close();
    }
    // Its guard may still be about to leave.
    runs("umount", "--lazy", disk.toString());
    Files.deleteIfExists(disk);
    pools.close();
    log.close();
  }

  private static boolean runs(String... command) throws IOException, InterruptedException {
    return new ProcessBuilder(command).redirectErrorStream(true).start().waitFor() == 0;
  }

  private TestDatabase database() {
    if (product == DatabaseProduct.SQLITE) {
      return TestDatabase.existing(
          product, "jdbc:sqlite:" + disk.resolve("waybill.db") + "?busy_timeout=5000", "", "");
    }
    server = TestServer.in(disk, product);
    return server.database();
  }

  @Test
  void whatWasCommittedIsDeliveredWhenThereIsRoomAgain() throws Exception {
    TestDatabase database = database();
    Schema.migrate(database.dataSource());
    try (HikariDataSource pool = pool(database);
        Waybill waybill =
            Waybill.builder(pool)
                .stopGrace(Duration.ofSeconds(1))
                .outbox(
                    o ->
                        o.profile(
                                OutboxProfile.lowLatency()
                                    .withReconcileInterval(Duration.ofSeconds(1)))
                            .queue("orders", Partitions.of(1))
                            .leased(
                                message -> {
                                  received.add(message);
                                  return MessageResult.ok();
                                }))
                .start()) {
      Outbox outbox = waybill.outbox();
      assertThat(send(outbox, 1)).isTrue();
      received.await(1);
      Path filler = fill();
      List<Integer> committed = new ArrayList<>(List.of(1));
      int n = 2;
      for (int refused = 0; refused < 3; n++) {
        if (send(outbox, n)) {
          committed.add(n);
        } else {
          refused++;
        }
      }
      Files.delete(filler);
      startAgainIfItEnded();
      while (!send(outbox, n)) {
        n++;
      }
      committed.add(n);
      int last = n;
      received.await(all -> all.stream().anyMatch(each -> number(each) == last));
      assertThat(received.soFar().stream().map(FullDiskTest::number).distinct().sorted())
          .containsAll(committed);
      assertThat(received.soFar().stream().map(OutboxMessage::seq).distinct()).isSorted();
      // A line when it begins, and a reminder if it lasts; not one per try.
      assertThat(log.warnings()).as("%s", log.warnings()).hasSizeLessThan(3 * 10);
    }
  }

  private static int number(OutboxMessage message) {
    return Integer.parseInt(message.type());
  }

  /** Whether it was committed; an answer that does not come is none. */
  private static boolean send(Outbox outbox, int n) throws InterruptedException {
    CompletableFuture<Boolean> sent =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                outbox.inTransaction(
                    connection ->
                        outbox.enqueue(
                            connection,
                            "orders",
                            EnqueueMessage.of(Integer.toString(n), new byte[PAYLOAD])));
                return true;
              } catch (Exception e) {
                return false;
              }
            });
    try {
      return sent.get(10, TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException e) {
      return false;
    }
  }

  private Path fill() throws IOException {
    Path filler = disk.resolve("filler");
    byte[] block = new byte[64 * 1024];
    try (OutputStream out = Files.newOutputStream(filler)) {
      while (true) {
        out.write(block);
      }
    } catch (IOException full) {
      return filler;
    }
  }

  /** PostgreSQL ends when it cannot write its log. That is its operator's to mend. */
  private void startAgainIfItEnded() {
    TestServer own = server;
    if (own != null && ProcessHandle.of(own.pid()).filter(ProcessHandle::isAlive).isEmpty()) {
      own.start();
    }
  }

  private static HikariDataSource pool(TestDatabase database) {
    HikariConfig config = new HikariConfig();
    config.setDataSource(database.dataSource());
    config.setMaximumPoolSize(10);
    config.setConnectionTimeout(2_000);
    return new HikariDataSource(config);
  }
}
