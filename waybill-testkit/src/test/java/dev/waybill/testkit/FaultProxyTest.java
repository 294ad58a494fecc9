package dev.waybill.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class FaultProxyTest {
  private static final Duration SOON = Duration.ofSeconds(10);
  // Long enough for a byte to cross the loopback twice if it wrongly does.
  private static final int SILENCE_MILLIS = 100;

  private EchoServer server;
  private FaultProxy proxy;
  private final List<Socket> clients = new ArrayList<>();

  @BeforeEach
  void startServer() throws IOException {
    server = new EchoServer();
    proxy = new FaultProxy(server.host(), server.port());
  }

  @AfterEach
  void endEverything() throws Exception {
    for (var client : clients) {
      client.close();
    }
    proxy.close();
    server.close();
  }

  @Test
  void carriesBytesBothWaysAndCountsThem() throws Exception {
    var client = connect();
    assertThat(ask(client, 7)).isEqualTo(7);
    assertThat(ask(client, 8)).isEqualTo(8);
    assertThat(proxy.connections()).isOne();
    assertThat(proxy.bytesToServer()).isEqualTo(2);
    assertThat(proxy.bytesToClients()).isEqualTo(2);
    client.shutdownOutput();
    assertThat(client.getInputStream().read()).isEqualTo(-1);
    proxy.awaitConnections(0, SOON);
  }

  @Test
  void aPauseKeepsWhatIsUnderwayAndTheConnection() throws Exception {
    var client = connect();
    ask(client, 1);
    proxy.pause();
    client.getOutputStream().write(2);
    assertSilent(client);
    assertThat(server.received()).containsExactly(1);
    var newcomer = connect();
    newcomer.getOutputStream().write(3);
    proxy.awaitConnections(2, SOON);
    proxy.resume();
    assertThat(client.getInputStream().read()).isEqualTo(2);
    assertThat(newcomer.getInputStream().read()).isEqualTo(3);
  }

  @Test
  void aPauseHoldsBackAnswersToo() throws Exception {
    var client = connect();
    ask(client, 1);
    proxy.pause();
    server.sayToAll(9);
    assertSilent(client);
    proxy.resume();
    assertThat(client.getInputStream().read()).isEqualTo(9);
  }

  @Test
  void cutsAllThatAreThereAndTakesNewOnes() throws Exception {
    var first = connect();
    var second = connect();
    ask(first, 1);
    ask(second, 2);
    proxy.cutAll();
    proxy.awaitConnections(0, SOON);
    assertThatThrownBy(() -> first.getInputStream().read()).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> second.getInputStream().read()).isInstanceOf(IOException.class);
    server.signals.await("ended", 2, SOON);
    assertThat(ask(connect(), 3)).isEqualTo(3);
  }

  @Test
  void cutsThroughAPause() throws Exception {
    var client = connect();
    ask(client, 1);
    proxy.pause();
    client.getOutputStream().write(2);
    proxy.cutAll();
    assertThatThrownBy(() -> client.getInputStream().read()).isInstanceOf(IOException.class);
    assertThat(server.received()).containsExactly(1);
  }

  @Test
  void refusesNewConnectionsOnly() throws Exception {
    var old = connect();
    ask(old, 1);
    proxy.refuse();
    assertThatThrownBy(() -> ask(connect(), 2)).isInstanceOf(IOException.class);
    assertThat(ask(old, 3)).isEqualTo(3);
    assertThat(proxy.connections()).isOne();
    proxy.accept();
    assertThat(ask(connect(), 4)).isEqualTo(4);
  }

  @Test
  void aHalfOpenConnectionIsSilentForTheClientAndGoneForTheServer() throws Exception {
    var client = connect();
    ask(client, 1);
    proxy.halfOpen();
    server.signals.await("ended", SOON);
    client.getOutputStream().write(2);
    assertSilent(client);
    client.getOutputStream().write(3);
    assertSilent(client);
    assertThat(server.received()).containsExactly(1);
    assertThat(proxy.connections()).isOne();
    assertThat(ask(connect(), 4)).isEqualTo(4);
    client.close();
    proxy.awaitConnections(1, SOON);
  }

  @Test
  void aDroppedReplyMeansTheServerGotTheRequest() throws Exception {
    var client = connect();
    ask(client, 1);
    proxy.dropReplies();
    assertThat(proxy.connections()).isOne();
    assertThatThrownBy(() -> ask(client, 2)).isInstanceOf(IOException.class);
    assertThat(server.received()).containsExactly(1, 2);
    proxy.awaitConnections(0, SOON);
    assertThat(proxy.bytesToClients()).isOne();
    assertThat(ask(connect(), 3)).isEqualTo(3);
  }

  @Test
  void anEndOfTheServerReachesTheClient() throws Exception {
    var client = connect();
    ask(client, 1);
    server.close();
    assertEnded(client);
    client.close();
    proxy.awaitConnections(0, SOON);
  }

  @Test
  void aServerThatIsNotThereEndsTheConnection() throws Exception {
    // Bound and deaf: the port of a server that was closed could be another one's by now.
    try (Socket deaf = new Socket()) {
      deaf.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      try (FaultProxy toNobody =
              new FaultProxy(deaf.getLocalAddress().getHostAddress(), deaf.getLocalPort());
          Socket client = new Socket(toNobody.host(), toNobody.port())) {
        client.setSoTimeout((int) SOON.toMillis());
        assertEnded(client);
        toNobody.awaitConnections(0, SOON);
      }
    }
  }

  @Test
  void waitingInVainFailsTheTest() {
    assertThatThrownBy(() -> proxy.awaitConnections(3, Duration.ofMillis(1)))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("3 connections")
        .hasMessageContaining("there are 0");
  }

  @Test
  void closingEndsConnectionsAndThreadsEvenPaused() throws Exception {
    var client = connect();
    ask(client, 1);
    proxy.pause();
    client.getOutputStream().write(2);
    proxy.close();
    proxy.close();
    assertThatThrownBy(() -> client.getInputStream().read()).isInstanceOf(IOException.class);
    assertThatThrownBy(this::connect).isInstanceOf(IOException.class);
    assertThat(Thread.getAllStackTraces().keySet())
        .noneMatch(thread -> thread.getName().startsWith("fault-proxy-" + proxy.port()));
  }

  private Socket connect() throws IOException {
    var client = new Socket(proxy.host(), proxy.port());
    client.setSoTimeout((int) SOON.toMillis());
    clients.add(client);
    return client;
  }

  private static int ask(Socket client, int question) throws IOException {
    client.getOutputStream().write(question);
    int answer = client.getInputStream().read();
    if (answer < 0) {
      throw new IOException("ended");
    }
    return answer;
  }

  private static void assertSilent(Socket client) throws IOException {
    client.setSoTimeout(SILENCE_MILLIS);
    assertThatThrownBy(() -> client.getInputStream().read())
        .isInstanceOf(SocketTimeoutException.class);
    client.setSoTimeout((int) SOON.toMillis());
  }

  /** Orderly or not: the kernel decides whether unread bytes make it a reset. */
  private static void assertEnded(Socket client) {
    try {
      assertThat(client.getInputStream().read()).isEqualTo(-1);
    } catch (IOException e) {
      assertThat(e).isNotInstanceOf(SocketTimeoutException.class);
    }
  }

  /** Answers each byte with itself. */
  private static final class EchoServer implements AutoCloseable {
    final Signals signals = new Signals();
    private final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private final List<Integer> received = new CopyOnWriteArrayList<>();

    EchoServer() throws IOException {
      start(this::acceptAll);
    }

    String host() {
      return listener.getInetAddress().getHostAddress();
    }

    int port() {
      return listener.getLocalPort();
    }

    List<Integer> received() {
      return received;
    }

    void sayToAll(int value) throws IOException {
      for (var socket : sockets) {
        socket.getOutputStream().write(value);
      }
    }

    private void acceptAll() {
      try {
        while (true) {
          var socket = listener.accept();
          sockets.add(socket);
          start(() -> echo(socket));
        }
      } catch (IOException e) {
        signals.fire("no longer accepts");
      }
    }

    private void echo(Socket socket) {
      try (socket) {
        int value;
        while ((value = socket.getInputStream().read()) >= 0) {
          received.add(value);
          socket.getOutputStream().write(value);
        }
      } catch (IOException e) {
        signals.fire("broken");
      } finally {
        signals.fire("ended");
      }
    }

    private static void start(Runnable body) {
      var thread = new Thread(body, "echo");
      thread.setDaemon(true);
      thread.start();
    }

    @Override
    public void close() throws IOException {
      listener.close();
      for (var socket : sockets) {
        socket.close();
      }
    }
  }
}
