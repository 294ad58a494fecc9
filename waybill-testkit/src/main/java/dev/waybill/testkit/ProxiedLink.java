package dev.waybill.testkit;

import java.io.IOException;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One client's connection through a {@link FaultProxy}: a thread for each direction. */
final class ProxiedLink {
  private static final Logger log = LoggerFactory.getLogger(ProxiedLink.class);

  private enum State {
    FLOWING,
    /** The client must not notice that the server's side is gone. */
    SERVER_FORGOTTEN,
    /** The next bytes from the server are swallowed, then all is cut. */
    LAST_REPLY,
    OVER
  }

  private final FaultProxy proxy;
  private final Socket client;
  private final AtomicInteger openDirections = new AtomicInteger(2);
  private @Nullable Socket server;
  // Changed only under this link's lock, read without it: the proxy reads it under its own.
  private volatile State state = State.FLOWING;

  ProxiedLink(FaultProxy proxy, Socket client) {
    this.proxy = proxy;
    this.client = client;
  }

  /** Calls the server, then carries requests until the client ends the connection. */
  void run() {
    try {
      var called = proxy.callServer();
      if (!connected(called)) {
        reset(called);
        return;
      }
      proxy.start("to client", () -> carry(called, client, false));
      carry(client, called, true);
    } catch (IOException e) {
      log.debug("{} found no server", this, e);
      cut();
    }
  }

  boolean isOver() {
    return state == State.OVER;
  }

  /** Resets both sides. */
  void cut() {
    synchronized (this) {
      if (state == State.OVER) {
        return;
      }
      state = State.OVER;
      if (server != null) {
        reset(server);
      }
      reset(client);
    }
    proxy.ended(this);
  }

  synchronized void forgetServer() {
    if (state != State.OVER) {
      state = State.SERVER_FORGOTTEN;
      if (server != null) {
        closeQuietly(server);
      }
    }
  }

  synchronized void dropNextReply() {
    if (state == State.FLOWING) {
      state = State.LAST_REPLY;
    }
  }

  /** False when the link ended, or lost its server, before there was one. */
  private synchronized boolean connected(Socket called) {
    if (state == State.OVER) {
      return false;
    }
    server = called;
    if (state == State.SERVER_FORGOTTEN) {
      closeQuietly(called);
    }
    return true;
  }

  private void carry(Socket from, Socket to, boolean toServer) {
    var buffer = new byte[16 * 1024];
    try {
      int read;
      while ((read = from.getInputStream().read(buffer)) >= 0) {
        proxy.awaitFlow(this);
        if (state == State.LAST_REPLY && !toServer) {
          cut();
          return;
        }
        deliver(buffer, read, to, toServer);
      }
      proxy.awaitFlow(this);
      endOf(to, toServer);
    } catch (IOException e) {
      broken(toServer, e);
    } catch (InterruptedException e) {
      // Nobody interrupts these threads but the end of the JVM.
      Thread.currentThread().interrupt();
      cut();
    }
  }

  private void deliver(byte[] buffer, int length, Socket to, boolean toServer) throws IOException {
    // What a pause held back must not slip through when the pause ends with a cut.
    if (state == State.SERVER_FORGOTTEN || state == State.OVER) {
      return;
    }
    try {
      // Counted first, so that whoever has the bytes also sees them counted.
      proxy.delivering(toServer, length);
      to.getOutputStream().write(buffer, 0, length);
    } catch (IOException e) {
      if (!toServer || state != State.SERVER_FORGOTTEN) {
        throw e;
      }
      log.debug("{} forgot its server while writing to it", this, e);
    }
  }

  /** One side has said all it had to say; the other may still be speaking. */
  private void endOf(Socket to, boolean toServer) throws IOException {
    if (state == State.SERVER_FORGOTTEN) {
      if (toServer) {
        cut();
      }
      return;
    }
    if (openDirections.decrementAndGet() == 0) {
      finish();
    } else if (!to.isClosed()) {
      to.shutdownOutput();
    }
  }

  private void broken(boolean toServer, IOException e) {
    if (state == State.SERVER_FORGOTTEN && !toServer) {
      return;
    }
    log.debug("{} broke", this, e);
    cut();
  }

  private void finish() {
    synchronized (this) {
      if (state == State.OVER) {
        return;
      }
      state = State.OVER;
      if (server != null) {
        closeQuietly(server);
      }
      closeQuietly(client);
    }
    proxy.ended(this);
  }

  /** Ends a connection the rude way, so that the peer gets an error and no orderly end. */
  static void reset(Socket socket) {
    try {
      socket.setSoLinger(true, 0);
    } catch (IOException e) {
      log.debug("{} was closed already", socket, e);
    }
    closeQuietly(socket);
  }

  private static void closeQuietly(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      log.debug("{} did not close cleanly", socket, e);
    }
  }

  @Override
  public String toString() {
    return "link of " + client.getRemoteSocketAddress() + " in " + proxy;
  }
}
