package dev.waybill.console;

import com.sun.net.httpserver.HttpServer;
import dev.waybill.Waybill;
import java.io.IOException;
import java.net.URI;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A console, running. Close it before the Waybill that it shows. */
public final class Console implements AutoCloseable {
  /** Pages that are open hold one each; see {@link Stream}. */
  private static final int MOST_THREADS = 96;

  private final HttpServer server;
  private final ExecutorService threads;
  private final Sampler sampler;
  private final URI address;

  private Console(HttpServer server, ExecutorService threads, Sampler sampler, URI address) {
    this.server = server;
    this.threads = threads;
    this.sampler = sampler;
    this.address = address;
  }

  /**
   * Starts a console for a Waybill.
   *
   * @throws ConsoleException.Unprotected if other machines would reach it and nothing protects it
   * @throws ConsoleException.InvalidOption if an option makes no sense
   * @throws ConsoleException.CannotListen if the address cannot be had
   */
  public static Console start(Waybill waybill, ConsoleOptions options) {
    options.check();
    Sources sources = Sources.of(waybill);
    Payloads payloads = new Payloads(options.redactor());
    WorkflowPages workflows = new WorkflowPages(sources, payloads);
    JobPages jobs = new JobPages(sources, payloads);
    Subjects subjects = new Subjects(jobs, workflows);
    Sampler sampler = new Sampler(sources, options.refresh(), subjects::json);
    Routes routes = new Routes(sources, sampler, payloads, subjects, options.path());
    Sessions sessions = new Sessions(System::nanoTime);
    Doc features =
        Doc.of("jobs", sources.jobs().isPresent())
            .put("workflows", sources.workflows().isPresent())
            .put("payloads", payloads.areShown());
    Server handler =
        new Server(options, sessions, new Doorkeeper(options, sessions), routes, sampler, features);
    HttpServer server;
    try {
      server = HttpServer.create(options.socketAddress(), 0);
    } catch (IOException e) {
      throw new ConsoleException.CannotListen(options.socketAddress().toString(), e);
    }
    ExecutorService threads = threads();
    server.setExecutor(threads);
    server.createContext("/", handler);
    server.start();
    return new Console(server, threads, sampler, address(options, server));
  }

  private static URI address(ConsoleOptions options, HttpServer server) {
    String host =
        options.address().isAnyLocalAddress() ? "localhost" : options.address().getHostAddress();
    return URI.create(
        "http://"
            + (host.contains(":") ? "[" + host + "]" : host)
            + ":"
            + server.getAddress().getPort()
            + options.path()
            + "/");
  }

  private static ExecutorService threads() {
    AtomicInteger number = new AtomicInteger();
    return new ThreadPoolExecutor(
        0,
        MOST_THREADS,
        30,
        TimeUnit.SECONDS,
        new SynchronousQueue<>(),
        task -> {
          Thread thread = new Thread(task, "waybill-console-" + number.incrementAndGet());
          thread.setDaemon(true);
          return thread;
        });
  }

  /** Where to point a browser. */
  public URI address() {
    return address;
  }

  /** Stops at once; a second time does nothing. */
  @Override
  public void close() {
    sampler.close();
    server.stop(0);
    threads.shutdownNow();
  }
}
