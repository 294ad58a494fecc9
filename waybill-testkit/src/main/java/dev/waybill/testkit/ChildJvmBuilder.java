package dev.waybill.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** How a {@link ChildJvm} shall be started. */
public final class ChildJvmBuilder {
  private final Class<?> main;
  private final List<String> jvmArgs = new ArrayList<>();
  private final List<String> args = new ArrayList<>();
  private final Map<String, String> environment = new LinkedHashMap<>();
  private String name;
  private Duration skew = Duration.ZERO;

  ChildJvmBuilder(Class<?> main) {
    this.main = main;
    this.name = main.getSimpleName();
  }

  /** What its standard error is marked with; else the name of the main class. */
  public ChildJvmBuilder name(String childName) {
    this.name = childName;
    return this;
  }

  /** More arguments for the main method. */
  public ChildJvmBuilder args(String... more) {
    Collections.addAll(args, more);
    return this;
  }

  /** More arguments for the JVM. */
  public ChildJvmBuilder jvmArgs(String... more) {
    Collections.addAll(jvmArgs, more);
    return this;
  }

  /** For one that lives for seconds: its start matters more than its speed. */
  public ChildJvmBuilder shortLived() {
    return jvmArgs("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");
  }

  /** A system property. */
  public ChildJvmBuilder property(String key, String value) {
    return jvmArgs("-D" + key + "=" + value);
  }

  /** An environment variable, on top of those of the test. */
  public ChildJvmBuilder env(String key, String value) {
    environment.put(key, value);
    return this;
  }

  /**
   * Sets its wall clock ahead, or back if negative; the monotonic clock and waits for a duration
   * stay true. Waits until a moment ({@code parkUntil}, {@code awaitUntil}) still end by the real
   * clock. Needs Linux and gcc.
   */
  public ChildJvmBuilder skew(Duration ahead) {
    this.skew = ahead;
    return this;
  }

  /** Starts the process with the JDK that runs the test. */
  public ChildJvm start() {
    var command = new ArrayList<String>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    // Lines between parent and child are UTF-8 in any locale; 17 and later name that differently.
    command.addAll(List.of("-Dfile.encoding=UTF-8", "-Dstdout.encoding=UTF-8"));
    command.add("-Dstderr.encoding=UTF-8");
    command.addAll(jvmArgs);
    command.addAll(List.of("-cp", classPath(), main.getName()));
    command.addAll(args);
    var builder = new ProcessBuilder(command);
    builder.environment().putAll(environment);
    if (!skew.isZero()) {
      SkewedClock.apply(builder.environment(), skew);
    }
    try {
      return new ChildJvm(name, builder.start());
    } catch (IOException e) {
      throw new UncheckedIOException("could not start " + name, e);
    }
  }

  /** Surefire may start the test with a jar that only names the class path in its manifest. */
  private static String classPath() {
    return System.getProperty(
        "surefire.test.class.path", System.getProperty("java.class.path", ""));
  }
}
