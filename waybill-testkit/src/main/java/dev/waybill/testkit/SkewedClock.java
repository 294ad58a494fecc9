package dev.waybill.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;

/**
 * A wall clock that is wrong for one process: a library loaded before libc, compiled when first
 * needed. The source is the resource beside this class.
 */
final class SkewedClock {
  private static final String SOURCE = "skewed-clock.c";

  private SkewedClock() {}

  static void apply(Map<String, String> environment, Duration ahead) {
    environment.merge("LD_PRELOAD", library().toString(), (others, own) -> own + ":" + others);
    environment.put("WAYBILL_SKEW_MILLIS", Long.toString(ahead.toMillis()));
  }

  private static synchronized Path library() {
    try {
      var source = source();
      var folder =
          Path.of(
              System.getProperty("java.io.tmpdir"),
              "waybill-testkit-" + System.getProperty("user.name"));
      // Named by its content: another version of the testkit must not find this one.
      var library =
          folder.resolve("skewed-clock-" + Integer.toHexString(source.hashCode()) + ".so");
      if (!Files.exists(library)) {
        Files.createDirectories(folder);
        compile(source, library);
      }
      return library;
    } catch (IOException e) {
      throw new UncheckedIOException("could not prepare the skewed clock", e);
    }
  }

  private static String source() throws IOException {
    try (var in = SkewedClock.class.getResourceAsStream(SOURCE)) {
      var bytes = Objects.requireNonNull(in, SOURCE).readAllBytes();
      return new String(bytes, StandardCharsets.UTF_8);
    }
  }

  /** Moved into place when complete, because other test JVMs look for it too. */
  private static void compile(String source, Path library) throws IOException {
    var unfinished = Files.createTempFile(library.getParent(), "skewed-clock", ".so");
    try {
      gcc(source, unfinished);
      Files.move(unfinished, library, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(unfinished);
    }
  }

  private static void gcc(String source, Path target) throws IOException {
    Process gcc;
    try {
      gcc =
          new ProcessBuilder(
                  "gcc", "-shared", "-fPIC", "-O2", "-x", "c", "-o", target.toString(), "-")
              .redirectErrorStream(true)
              .start();
    } catch (IOException e) {
      throw new IllegalStateException(
          "a child JVM with a skewed clock needs gcc on the PATH, which could not be run", e);
    }
    try (var input = gcc.getOutputStream()) {
      input.write(source.getBytes(StandardCharsets.UTF_8));
    }
    var said = new String(gcc.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    try {
      int exit = gcc.waitFor();
      if (exit != 0) {
        throw new IllegalStateException("gcc could not compile " + SOURCE + ": " + said);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while gcc was running", e);
    }
  }
}
