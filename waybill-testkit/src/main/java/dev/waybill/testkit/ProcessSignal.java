package dev.waybill.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The signals that Java cannot send to a process on its own. */
enum ProcessSignal {
  STOP,
  CONT;

  private static final long LOOK_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  void sendTo(long pid) throws InterruptedException {
    try {
      var kill =
          new ProcessBuilder("kill", "-" + name(), Long.toString(pid))
              .redirectErrorStream(true)
              .start();
      var said = new String(kill.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      int exit = kill.waitFor();
      if (exit != 0) {
        throw new IllegalStateException("kill -" + name() + " " + pid + ": " + exit + " " + said);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("could not run kill", e);
    }
  }

  /**
   * A signal is underway when kill returns, and each thread stops on its own. Where the system does
   * not show its threads as files there is nothing to wait for.
   */
  static void awaitStopped(long pid, Duration timeout) throws InterruptedException {
    long end = System.nanoTime() + timeout.toNanos();
    var threads = Path.of("/proc", Long.toString(pid), "task");
    while (Files.isDirectory(threads) && !allStopped(threads)) {
      if (System.nanoTime() - end >= 0) {
        throw new AssertionError("waited " + timeout + " in vain: process " + pid + " stops");
      }
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      LockSupport.parkNanos(LOOK_AGAIN_NANOS);
    }
  }

  private static boolean allStopped(Path threads) {
    try (var each = Files.list(threads)) {
      return each.allMatch(ProcessSignal::isStopped);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean isStopped(Path thread) {
    try {
      var stat = Files.readString(thread.resolve("stat"), StandardCharsets.ISO_8859_1);
      // The state follows the name, and the name may contain anything, even a parenthesis.
      int state = stat.lastIndexOf(')');
      // One that has ended, and whose parent was not told yet, does nothing either.
      return stat.startsWith(") T", state) || stat.startsWith(") Z", state);
    } catch (NoSuchFileException e) {
      return true; // That thread ended meanwhile.
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
