package dev.waybill.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The process whose end is the end of a server.
 *
 * @param born start time as the kernel counts it; with the pid it names a process for good
 */
record WatchedProcess(long pid, String born) {

  static final String PROPERTY = "waybill.build.pid";

  private static final String MAVEN = "org.codehaus.plexus.classworlds.launcher.Launcher";

  /** Maven, where it is an ancestor of this JVM; else the JVM is all there is of the build. */
  static WatchedProcess ofThisBuild() {
    Long pid = Long.getLong(PROPERTY);
    if (pid != null) {
      return of(pid);
    }
    Optional<ProcessHandle> process = ProcessHandle.current().parent();
    while (process.isPresent()) {
      if (isMaven(process.get())) {
        return of(process.get().pid());
      }
      process = process.get().parent();
    }
    return ofThisJvm();
  }

  static WatchedProcess ofThisJvm() {
    return of(ProcessHandle.current().pid());
  }

  static WatchedProcess of(long pid) {
    try {
      String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
      // The program's name comes second, in parentheses, and may contain anything.
      List<String> fields = Arrays.asList(stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1));
      return new WatchedProcess(pid, fields.get(19));
    } catch (IOException e) {
      throw new UncheckedIOException("No process " + pid, e);
    }
  }

  private static boolean isMaven(ProcessHandle process) {
    return process
        .info()
        .arguments()
        .map(arguments -> Arrays.asList(arguments).contains(MAVEN))
        .orElse(false);
  }

  @Override
  public String toString() {
    return pid + "-" + born;
  }
}
