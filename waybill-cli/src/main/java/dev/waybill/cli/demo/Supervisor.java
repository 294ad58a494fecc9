package dev.waybill.cli.demo;

import dev.waybill.schema.Schema;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Runs the service in child processes, kills one of them, and verifies what is left. */
public final class Supervisor {
  private static final Duration START = Duration.ofSeconds(30);
  private static final Duration DRAIN = Duration.ofSeconds(60);
  private static final Duration LATE = Duration.ofMillis(1_200);

  private final Settings settings;
  private final DataSource dataSource;
  private final int seconds;
  private final boolean withConsole;
  private final View view;
  private final AtomicReference<@Nullable Report> latest = new AtomicReference<>();
  private final CountDownLatch quiet = new CountDownLatch(1);
  private Report earlier = Report.nothing();

  /** A demo of that length. */
  public Supervisor(
      Settings settings,
      DataSource dataSource,
      int seconds,
      boolean withConsole,
      PrintWriter out,
      boolean terminal) {
    this.settings = settings;
    this.dataSource = dataSource;
    this.seconds = seconds;
    this.withConsole = withConsole;
    this.view = new View(out, terminal, seconds);
  }

  /** All of it, and what came of it. */
  public Verdict run() throws IOException, InterruptedException, SQLException {
    view.say("An order service on " + settings.url());
    Schema.migrate(dataSource);
    Shop.createTables(dataSource);
    Files.deleteIfExists(settings.shipments());
    Process first = null;
    Process second = null;
    try (Manager manager = new Manager(dataSource, settings.run(), withConsole)) {
      Map<Integer, Long> reached = manager.shipped();
      first = start();
      manager.address().ifPresent(address -> view.say("Watch it in the console: " + address));
      view.say("Or ask in another terminal: ./waybill status --url '" + settings.url() + "'");
      watch(first, manager, 0, seconds / 2);
      view.say("Killing the service (SIGKILL) in the middle of its work …");
      first.destroyForcibly().waitFor();
      second = start();
      view.say("… and another one takes over, as soon as the leases of the dead one end.");
      watch(second, manager, seconds / 2, seconds);
      view.say("No more orders; waiting for what is on its way …");
      tell(second, "drain\n");
      boolean drained = drained(second, manager, reached);
      second.getOutputStream().close();
      second.waitFor(30, TimeUnit.SECONDS);
      Verdict verdict = Verdict.of(dataSource, settings, manager, reached);
      view.rest();
      view.verdict(verdict);
      if (!drained) {
        view.say("Not everything had arrived after " + DRAIN.toSeconds() + " s.");
      }
      return verdict;
    } finally {
      for (Process process : new @Nullable Process[] {first, second}) {
        if (process != null) {
          process.destroyForcibly();
        }
      }
    }
  }

  private Process start() throws IOException {
    List<String> command = new ArrayList<>();
    command.add(ProcessHandle.current().info().command().orElse("java"));
    command.add("-XX:TieredStopAtLevel=1");
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add("dev.waybill.cli.WaybillCommand");
    command.addAll(settings.arguments());
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
    Report ended = latest.getAndSet(null);
    earlier = ended == null ? earlier : ended.after(earlier);
    var reader = new Thread(() -> listen(process), "demo-listener");
    reader.setDaemon(true);
    reader.start();
    return process;
  }

  private void listen(Process process) {
    try (var lines =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        String said = line;
        if (line.equals(OrderService.QUIET)) {
          quiet.countDown();
          continue;
        }
        Report.parse(line)
            .ifPresentOrElse(latest::set, () -> view.say("  the service says: " + said));
      }
    } catch (IOException killed) {
      // Its end is what this demo is about.
    }
  }

  private void watch(Process process, Manager manager, int from, int to)
      throws InterruptedException {
    awaitFirstReport(process);
    Report before = null;
    long began = System.nanoTime();
    long lastNews = began;
    double enqueued = 0;
    double delivered = 0;
    while (System.nanoTime() - began < TimeUnit.SECONDS.toNanos(to - from)) {
      TimeUnit.MILLISECONDS.sleep(500);
      requireAlive(process);
      manager.approve();
      Report now = latest.get();
      long look = System.nanoTime();
      if (now == null) {
        continue;
      }
      // A report that is late is not yet a standstill.
      if (!now.equals(before) || look - lastNews > LATE.toNanos()) {
        double passed = (look - lastNews) / 1e9;
        enqueued = before == null ? 0 : (now.enqueued() - before.enqueued()) / passed;
        delivered = before == null ? 0 : (now.delivered() - before.delivered()) / passed;
        before = now;
        lastNews = look;
      }
      view.report(
          from + TimeUnit.NANOSECONDS.toSeconds(look - began),
          now.after(earlier),
          enqueued,
          delivered);
    }
  }

  /** The time it takes to start is not taken from its work. */
  private void awaitFirstReport(Process process) throws InterruptedException {
    long deadline = System.nanoTime() + START.toNanos();
    while (latest.get() == null && System.nanoTime() < deadline) {
      requireAlive(process);
      TimeUnit.MILLISECONDS.sleep(50);
    }
  }

  private static void requireAlive(Process process) {
    if (!process.isAlive()) {
      throw new IllegalStateException(
          "The service ended by itself with code " + process.exitValue());
    }
  }

  private static void tell(Process process, String text) throws IOException {
    OutputStream in = process.getOutputStream();
    in.write(text.getBytes(StandardCharsets.UTF_8));
    in.flush();
  }

  private boolean drained(Process process, Manager manager, Map<Integer, Long> reached)
      throws InterruptedException, SQLException, IOException {
    long deadline = System.nanoTime() + DRAIN.toNanos();
    // A transaction may be under way when the word is given.
    quiet.await(DRAIN.toSeconds(), TimeUnit.SECONDS);
    while (System.nanoTime() < deadline && process.isAlive()) {
      manager.approve();
      if (Verdict.of(dataSource, settings, manager, reached).isComplete()) {
        return true;
      }
      TimeUnit.MILLISECONDS.sleep(200);
    }
    return false;
  }
}
