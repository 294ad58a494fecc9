package dev.waybill.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Method;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Driver;
import java.sql.DriverManager;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** Runs the jar that people run, or the launcher, and keeps what it said. */
record Cli(int exit, String out, String err) {
  private static final Path JAR = Path.of("target", "waybill.jar");

  /**
   * Calls the jar as its main method does, in a class loader that knows nothing but the jar (and
   * SQLite). A hundred calls of a JVM that is warm take less than three starts of one.
   */
  static Cli jar(Map<String, String> environment, String... args) {
    Function<String, String> variables = environment::get;
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    thread.setContextClassLoader(Jar.LOADER);
    try {
      Object commands = Jar.COMMANDS.invoke(null, variables);
      Class<?> type = commands.getClass();
      type.getMethod("setOut", PrintWriter.class).invoke(commands, new PrintWriter(out));
      type.getMethod("setErr", PrintWriter.class).invoke(commands, new PrintWriter(err));
      int exit = (int) type.getMethod("execute", String[].class).invoke(commands, (Object) args);
      return new Cli(exit, out.toString(), err.toString());
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(String.valueOf(e), e);
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  /** The jar, loaded once. */
  private static final class Jar {
    static final ClassLoader LOADER = loader();
    static final Method COMMANDS = commands();

    private static ClassLoader loader() {
      try {
        return new URLClassLoader(new URL[] {JAR.toUri().toURL()}, new OneSqlite());
      } catch (MalformedURLException e) {
        throw new AssertionError(e);
      }
    }

    private static Method commands() {
      try {
        // DriverManager looks for drivers once per JVM: let it find the tests' own, then add these.
        DriverManager.drivers().forEach(driver -> {});
        ServiceLoader.load(Driver.class, LOADER).forEach(driver -> {});
        Method method =
            LOADER
                .loadClass("dev.waybill.cli.WaybillCommand")
                .getDeclaredMethod("commands", Function.class);
        method.setAccessible(true);
        return method;
      } catch (ReflectiveOperationException e) {
        throw new LinkageError(String.valueOf(e), e);
      }
    }
  }

  /**
   * Lends the jar the tests' SQLite. Two of them in one process do not see each other's locks, and
   * a file that both write to gets damaged.
   */
  private static final class OneSqlite extends ClassLoader {
    OneSqlite() {
      super(ClassLoader.getPlatformClassLoader());
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
      if (name.startsWith("org.sqlite.")) {
        return Cli.class.getClassLoader().loadClass(name);
      }
      throw new ClassNotFoundException(name);
    }
  }

  /** Runs the jar in a process of its own, as the launcher does. */
  static Cli process(Map<String, String> environment, String... args)
      throws IOException, InterruptedException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-jar",
                JAR.toString()));
    command.addAll(List.of(args));
    return run(new ProcessBuilder(command), environment);
  }

  static Cli run(ProcessBuilder builder, Map<String, String> environment)
      throws IOException, InterruptedException {
    builder.environment().putAll(environment);
    Path out = Files.createTempFile("waybill-cli", ".out");
    Path err = Files.createTempFile("waybill-cli", ".err");
    try {
      Process process = builder.redirectOutput(out.toFile()).redirectError(err.toFile()).start();
      process.getOutputStream().close();
      if (!process.waitFor(120, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new AssertionError("Still running after two minutes: " + builder.command());
      }
      return new Cli(
          process.exitValue(),
          Files.readString(out, StandardCharsets.UTF_8),
          Files.readString(err, StandardCharsets.UTF_8));
    } finally {
      Files.delete(out);
      Files.delete(err);
    }
  }
}
