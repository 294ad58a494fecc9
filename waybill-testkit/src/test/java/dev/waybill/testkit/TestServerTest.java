package dev.waybill.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@EnumSource(
    value = DatabaseProduct.class,
    names = {"SQLITE"},
    mode = EnumSource.Mode.EXCLUDE)
class TestServerTest {

  @SuppressWarnings("NullAway.Init")
  private static TestServer server;

  @SuppressWarnings("NullAway.Init")
  @Parameter
  DatabaseProduct product;

  @BeforeParameterizedClassInvocation
  static void start(DatabaseProduct product) throws SQLException {
    server = TestServer.own(product);
    server
        .database()
        .execute("create table parcel (id int primary key)", "insert into parcel values (1)");
  }

  @AfterParameterizedClassInvocation
  static void close() {
    if (server == null) {
      return; // left out
    }
    server.close();
    assertThat(server.handle().isAlive()).isFalse();
  }

  @Test
  void comesBackWithItsDataAfterAKill() throws SQLException {
    server.kill();
    assertThatThrownBy(() -> server.database().connect()).isInstanceOf(SQLException.class);
    server.start();
    assertThat(parcels()).isEqualTo(1);
  }

  @Test
  void leavesNoProcessBehindWhenItIsKilledWhileClientsConnect() throws Exception {
    for (int i = 0; i < 5; i++) {
      var killed = new AtomicBoolean();
      var connected = new CountDownLatch(8);
      TestDatabase database = server.database();
      List<CompletableFuture<Void>> clients =
          IntStream.range(0, 4)
              .mapToObj(
                  n -> CompletableFuture.runAsync(() -> connectUntil(database, killed, connected)))
              .toList();
      assertThat(connected.await(60, TimeUnit.SECONDS)).isTrue();
      server.kill();
      assertThat(processesIn(server.folder().resolve("data"))).isEmpty();
      killed.set(true);
      clients.forEach(CompletableFuture::join);
      server.start();
    }
    assertThat(parcels()).isEqualTo(1);
  }

  private static void connectUntil(
      TestDatabase database, AtomicBoolean end, CountDownLatch connected) {
    while (!end.get()) {
      try (Connection connection = database.connect()) {
        assertThat(connection.isClosed()).isFalse();
        connected.countDown();
      } catch (SQLException e) {
        Thread.onSpinWait(); // As it must be from the kill on.
      }
    }
  }

  /** A server works in its data folder. */
  private static List<Long> processesIn(Path folder) {
    return ProcessHandle.allProcesses()
        .filter(process -> folder.equals(workingFolder(process)))
        .map(ProcessHandle::pid)
        .toList();
  }

  private static @Nullable Path workingFolder(ProcessHandle process) {
    try {
      return Files.readSymbolicLink(Path.of("/proc", Long.toString(process.pid()), "cwd"));
    } catch (IOException e) {
      return null; // It is somebody else's, or has ended.
    }
  }

  @Test
  void comesBackWithItsDataAfterAStopWithClients() throws SQLException {
    assertThat(server.database().product()).isEqualTo(product);
    try (Connection open = server.database().connect()) {
      assertThat(open.isValid(5)).isTrue();
      server.stop();
      assertThat(open.isValid(5)).isFalse();
    }
    server.start();
    assertThat(parcels()).isEqualTo(1);
  }

  @Test
  void keepsClientsWaitingWhilePaused() throws Exception {
    try (Connection open = server.database().connect();
        Statement statement = open.createStatement()) {
      server.pause();
      CompletableFuture<Void> answer =
          CompletableFuture.runAsync(() -> executeUnchecked(statement, "select 1"));
      assertThatThrownBy(() -> answer.get(200, TimeUnit.MILLISECONDS))
          .isInstanceOf(TimeoutException.class);
      server.resume();
      assertThat(answer.get(20, TimeUnit.SECONDS)).isNull();
    }
  }

  @Test
  void saysThatSomeoneTookItsPort() throws Exception {
    URI address = URI.create(server.database().url().substring("jdbc:".length()));
    server.stop();
    try (ServerSocket taken =
        new ServerSocket(address.getPort(), 1, InetAddress.getLoopbackAddress())) {
      assertThatThrownBy(server::start)
          .hasMessageContaining("port " + taken.getLocalPort() + " is taken");
    }
    server.start();
    assertThat(parcels()).isEqualTo(1);
  }

  private int parcels() throws SQLException {
    try (Connection connection = server.database().connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("select count(*) from parcel")) {
      row.next();
      return row.getInt(1);
    }
  }

  private static void executeUnchecked(Statement statement, String sql) {
    try {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }
}
