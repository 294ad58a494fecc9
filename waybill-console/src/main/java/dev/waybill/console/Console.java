package dev.waybill.console;

import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import dev.waybill.Waybill;
import java.io.IOException;
import java.net.URI;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A console, running. Close it before the Waybill that it shows. */
public final class Console implements AutoCloseable {
  /** Pages that are open hold one each; see {@link Stream}. */
  private static final int MOST_THREADS = 96;

  private final Server server;
  private final Sampler sampler;
  private final URI address;
  private final Optional<Listener> listener;

  private Console(Server server, Sampler sampler, URI address, Optional<Listener> listener) {
    this.server = server;
    this.sampler = sampler;
    this.address = address;
    this.listener = listener;
  }

  /** A port that is listened on, and who answers there. */
  private record Listener(HttpServer http, ExecutorService threads) {}

  /**
   * Starts a console for a Waybill, on a port of its own.
   *
   * @throws ConsoleException.Unprotected if other machines would reach it and nothing protects it
   * @throws ConsoleException.InvalidOption if an option makes no sense
   * @throws ConsoleException.CannotListen if the address cannot be had
   */
  public static Console start(Waybill waybill, ConsoleOptions options) {
    options.check();
    HttpServer http;
    try {
      http = HttpServer.create(options.socketAddress(), 0);
    } catch (IOException e) {
      throw new ConsoleException.CannotListen(options.socketAddress().toString(), e);
    }
    ExecutorService threads = threads();
    Console console =
        open(waybill, options, address(options, http), Optional.of(new Listener(http, threads)));
    http.setExecutor(threads);
    http.createContext("/", console.handler());
    http.start();
    return console;
  }

  /**
   * A console that opens no port: the host application's own server hands it every request to
   * {@link ConsoleOptions#path} and below, by {@link #handler} or by {@link #answer}. Address and
   * port do not matter. Each open page holds one of that server's threads, at most 64 of them.
   *
   * @throws ConsoleException.Unprotected if there is neither a token nor an authenticator: nobody
   *     knows here who reaches that server
   * @throws ConsoleException.InvalidOption if an option makes no sense
   */
  public static Console mount(Waybill waybill, ConsoleOptions options) {
    options.checkMounted();
    return open(waybill, options, URI.create(options.path() + "/"), Optional.empty());
  }

  private static Console open(
      Waybill waybill, ConsoleOptions options, URI address, Optional<Listener> listener) {
    Sources sources = Sources.of(waybill);
    Payloads payloads = new Payloads(options.redactor());
    RunWatch watch = new RunWatch(sources);
    WorkflowPages workflows = new WorkflowPages(sources, payloads, watch);
    JobPages jobs = new JobPages(sources, payloads);
    Subjects subjects = new Subjects(jobs, workflows);
    Sampler sampler = new Sampler(sources, watch, options.refresh(), subjects::json);
    Routes routes = new Routes(sources, sampler, payloads, subjects, options.path());
    Sessions sessions = new Sessions(System::nanoTime);
    Doc features =
        Doc.of("jobs", sources.jobs().isPresent())
            .put("workflows", sources.workflows().isPresent())
            .put("payloads", payloads.areShown());
    Doorkeeper doorkeeper = new Doorkeeper(options, sessions, listener.isEmpty());
    SignIn signIn = new SignIn(options, sessions, doorkeeper, features);
    Server server = new Server(options, doorkeeper, signIn, routes, sampler);
    return new Console(server, sampler, address, listener);
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

  /** Where to point a browser; of a console that is mounted, the path alone. */
  public URI address() {
    return address;
  }

  /** Answers a request that reached the host application's own server. */
  public void answer(Exchange exchange) {
    server.answer(exchange);
  }

  /** The same for a server of the JDK's kind: {@code server.createContext(path, handler())}. */
  public HttpHandler handler() {
    return exchange -> {
      try (exchange) {
        answer(new JdkExchange(exchange));
      }
    };
  }

  /** Stops at once; a second time does nothing. */
  @Override
  public void close() {
    sampler.close();
    listener.ifPresent(
        own -> {
          own.http().stop(0);
          own.threads().shutdownNow();
        });
  }
}
