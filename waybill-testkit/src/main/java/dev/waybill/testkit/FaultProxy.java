package dev.waybill.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A network that fails on command: a TCP proxy on a loopback port of its own in front of a server.
 * Clients connect to {@link #host} and {@link #port}. Thread-safe.
 */
public final class FaultProxy implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(FaultProxy.class);
  private static final Duration PROMPT = Duration.ofSeconds(10);

  private final InetSocketAddress server;
  private final ServerSocket listener;
  private final Monitor monitor = new Monitor();
  private final Set<ProxiedLink> links = ConcurrentHashMap.newKeySet();
  private final List<Thread> threads = new ArrayList<>();
  private final AtomicInteger threadNumbers = new AtomicInteger();
  private final AtomicLong bytesToServer = new AtomicLong();
  private final AtomicLong bytesToClients = new AtomicLong();
  private boolean paused;
  private boolean refusing;
  private boolean closed;

  /** Listens at once; the server is only called when a client comes. */
  public FaultProxy(String serverHost, int serverPort) throws IOException {
    this.server = new InetSocketAddress(serverHost, serverPort);
    this.listener = new ServerSocket(0, 128, InetAddress.getLoopbackAddress());
    start("accept", this::acceptAll);
  }

  /** The loopback address it listens on. */
  public String host() {
    return listener.getInetAddress().getHostAddress();
  }

  /** The port it listens on, the same until it is closed. */
  public int port() {
    return listener.getLocalPort();
  }

  /** Whatever is sent from now on stays underway, both ways; connections stay. */
  public void pause() {
    monitor.change(() -> paused = true);
  }

  /** Delivers what was underway and lets bytes flow again. */
  public void resume() {
    monitor.change(() -> paused = false);
  }

  /** Resets every connection, on both sides. */
  public void cutAll() {
    links.forEach(ProxiedLink::cut);
  }

  /**
   * Resets new connections at once. The port stays taken meanwhile: a closed one could be given to
   * somebody else, so clients see a reset and not a refusal.
   */
  public void refuse() {
    monitor.change(() -> refusing = true);
  }

  /** Lets new connections through again. */
  public void accept() {
    monitor.change(() -> refusing = false);
  }

  /**
   * Closes the server's side of every connection, while the clients' side stays open and silent:
   * what they send vanishes and no answer comes. Such a connection counts until its client ends it.
   */
  public void halfOpen() {
    links.forEach(ProxiedLink::forgetServer);
  }

  /**
   * On every connection there is now, requests still arrive but the next answer is swallowed and
   * the connection cut: the server did what it was asked, and the client cannot know.
   */
  public void dropReplies() {
    links.forEach(ProxiedLink::dropNextReply);
  }

  /** Connections through the proxy at this moment. */
  public int connections() {
    return links.size();
  }

  /** Waits until there are exactly so many connections. */
  public void awaitConnections(int count, Duration timeout) throws InterruptedException {
    monitor.expect(
        () -> links.size() == count,
        timeout,
        () -> count + " connections through the proxy, there are " + links.size());
  }

  /** Bytes handed to the server so far. */
  public long bytesToServer() {
    return bytesToServer.get();
  }

  /** Bytes handed to clients so far. */
  public long bytesToClients() {
    return bytesToClients.get();
  }

  /** Stops listening, cuts every connection and ends all threads. */
  @Override
  public void close() {
    monitor.change(() -> closed = true);
    try {
      listener.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      cutAll();
    }
    long end = System.nanoTime() + PROMPT.toNanos();
    for (var thread : monitor.read(() -> List.copyOf(threads))) {
      end(thread, end);
    }
  }

  private static void end(Thread thread, long end) {
    try {
      thread.join(Math.max(1, Duration.ofNanos(end - System.nanoTime()).toMillis()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while " + thread.getName() + " ended", e);
    }
    if (thread.isAlive()) {
      throw new IllegalStateException(thread.getName() + " did not end within " + PROMPT);
    }
  }

  private void acceptAll() {
    while (!listener.isClosed()) {
      try {
        open(listener.accept());
      } catch (IOException e) {
        log.debug("{} no longer accepts or lost a client", this, e);
      }
    }
  }

  /** In one step, so that after a refusal and a cut nobody is connected who came just before. */
  private void open(Socket client) {
    var link = new ProxiedLink(this, client);
    monitor.change(
        () -> {
          if (!refusing && !closed) {
            links.add(link);
          }
        });
    if (links.contains(link)) {
      start("to server", link::run);
    } else {
      ProxiedLink.reset(client);
    }
  }

  Socket callServer() throws IOException {
    var socket = new Socket();
    socket.connect(server, (int) PROMPT.toMillis());
    return socket;
  }

  void ended(ProxiedLink link) {
    monitor.change(() -> links.remove(link));
  }

  /** Lets the caller pass when bytes may flow, or when there is no use in waiting any more. */
  void awaitFlow(ProxiedLink link) throws InterruptedException {
    boolean flowing = false;
    while (!flowing) {
      flowing = monitor.await(() -> !paused || link.isOver(), PROMPT);
    }
  }

  void delivering(boolean toServer, int bytes) {
    (toServer ? bytesToServer : bytesToClients).addAndGet(bytes);
  }

  /** Starts a daemon thread that ends with the proxy. */
  void start(String task, Runnable body) {
    var name = "fault-proxy-" + port() + " " + task + " " + threadNumbers.incrementAndGet();
    var thread = new Thread(body, name);
    thread.setDaemon(true);
    monitor.change(
        () -> {
          threads.removeIf(other -> other.getState() == Thread.State.TERMINATED);
          threads.add(thread);
          thread.start();
        });
  }

  @Override
  public String toString() {
    return "proxy " + port() + " to " + server;
  }
}
