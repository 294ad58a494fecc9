package dev.waybill.testkit;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A main class running in a JVM of its own, so that a test can kill it, stop it or give it another
 * clock. It talks to the test in lines: its standard output comes in, {@link #send} goes out. Its
 * standard error is echoed under its name. Needs a Unix. Thread-safe.
 *
 * <pre>{@code
 * try (var child = ChildJvm.of(WorkerMain.class).args("orders").start()) {
 *   child.awaitLine("ready", ofSeconds(30));
 *   child.kill();
 * }
 * }</pre>
 */
public final class ChildJvm implements AutoCloseable {
  private static final Duration PROMPT = Duration.ofSeconds(10);

  private final String name;
  private final Process process;
  private final Monitor monitor = new Monitor();
  private final List<String> lines = new ArrayList<>();
  private final Thread output;
  private final Thread errors;
  private boolean outputEnded;

  ChildJvm(String name, Process process) {
    this.name = name;
    this.process = process;
    this.output = readLines("output", process.getInputStream(), this::remember, this::ended);
    this.errors = readLines("errors", process.getErrorStream(), this::echo, () -> {});
  }

  /** Prepares a child that runs this main class with the class path of the test. */
  public static ChildJvmBuilder of(Class<?> main) {
    return new ChildJvmBuilder(main);
  }

  /** Called by a main: ends this JVM at once when its parent is gone. Takes the standard input. */
  public static void exitWithParent() {
    exitWithParent(line -> {});
  }

  /** Like {@link #exitWithParent()}, handing over what the parent {@linkplain #send sends}. */
  public static void exitWithParent(Consumer<String> received) {
    readLines("parent", System.in, received, () -> Runtime.getRuntime().halt(1));
  }

  /** The process id. */
  public long pid() {
    return process.pid();
  }

  /** Whether it still runs; a paused one does. */
  public boolean isAlive() {
    return process.isAlive();
  }

  /** What it wrote to its standard output so far. */
  public List<String> lines() {
    return monitor.read(() -> List.copyOf(lines));
  }

  /** Waits for the first line with this beginning, and returns it. */
  public String awaitLine(String startsWith, Duration timeout) throws InterruptedException {
    return awaitLine(startsWith, 1, timeout);
  }

  /** Waits for the n-th line with this beginning; fails at once if the child ends without it. */
  public String awaitLine(String startsWith, int nth, Duration timeout)
      throws InterruptedException {
    monitor.expect(
        () -> outputEnded || starting(startsWith).size() >= nth,
        timeout,
        () -> "line \"" + startsWith + "\" of " + this + ", saw " + lines);
    var found = monitor.read(() -> starting(startsWith));
    if (found.size() < nth) {
      throw new AssertionError(
          this + " ended without line \"" + startsWith + "\" " + nth + " times, saw " + lines());
    }
    return found.get(nth - 1);
  }

  /** Writes a line to its standard input. */
  public synchronized void send(String line) {
    try {
      var input = process.getOutputStream();
      input.write((line + "\n").getBytes(StandardCharsets.UTF_8));
      input.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(this + " takes no input", e);
    }
  }

  /** Ends it as a power failure would: no hook, no finally. Returns when it is gone. */
  public void kill() throws InterruptedException {
    // Not by Process itself, which would close the pipes before all is read, even of one that
    // ended.
    process.toHandle().destroyForcibly();
    waitFor(PROMPT);
  }

  /** Stops all its threads where they are, as a long garbage collection would. */
  public void pause() throws InterruptedException {
    ProcessSignal.STOP.sendTo(pid());
    ProcessSignal.awaitStopped(pid(), PROMPT);
  }

  /** Lets it go on after a {@link #pause}. */
  public void resume() throws InterruptedException {
    ProcessSignal.CONT.sendTo(pid());
  }

  /** Waits for its end and returns the exit code, which is 137 after {@link #kill}. */
  public int waitFor(Duration timeout) throws InterruptedException {
    if (!process.waitFor(timeout.toNanos(), TimeUnit.NANOSECONDS)) {
      throw new AssertionError("waited " + timeout + " in vain: the end of " + this);
    }
    return process.exitValue();
  }

  /** Ends it if it still runs; all of its output has been read then. */
  @Override
  public void close() {
    try {
      kill();
      output.join(PROMPT.toMillis());
      errors.join(PROMPT.toMillis());
      process.getOutputStream().close();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while " + this + " ended", e);
    } catch (IOException e) {
      // Unsent input of a process that is gone: nothing is lost that anyone could have read.
      echo("input closed: " + e.getMessage());
    }
  }

  private List<String> starting(String startsWith) {
    return lines.stream().filter(line -> line.startsWith(startsWith)).toList();
  }

  private void remember(String line) {
    monitor.change(() -> lines.add(line));
  }

  private void ended() {
    monitor.change(() -> outputEnded = true);
  }

  private void echo(String line) {
    System.err.println("[" + name + "] " + line);
  }

  private static Thread readLines(
      String what, InputStream in, Consumer<String> each, Runnable atEnd) {
    var thread = new Thread(() -> readAll(in, each, atEnd), "child-jvm " + what);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  private static void readAll(InputStream in, Consumer<String> each, Runnable atEnd) {
    try (var reader = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
      String line;
      while ((line = reader.readLine()) != null) {
        each.accept(line);
      }
    } catch (IOException e) {
      // A killed process may break its pipes instead of ending them.
      each.accept("unreadable from here: " + e);
    } finally {
      atEnd.run();
    }
  }

  @Override
  public String toString() {
    return "child JVM " + name + " (pid " + pid() + ")";
  }
}
