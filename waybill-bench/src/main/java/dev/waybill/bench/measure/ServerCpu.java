package dev.waybill.bench.measure;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** The processor time of a server: of all its processes, those that ended included. Linux only. */
public final class ServerCpu {
  private static final long MICROS_PER_TICK = 10_000;
  private static final int USER = 11;
  private static final int SYSTEM = 12;
  private static final int WAITED_USER = 13;
  private static final int WAITED_SYSTEM = 14;

  private final long pid;

  /** Of the server whose first process has this id; 0 if it is not known. */
  public ServerCpu(long pid) {
    this.pid = pid;
  }

  /** Microseconds so far; 0 if they cannot be known. */
  public long micros() {
    if (pid == 0) {
      return 0;
    }
    return ProcessHandle.of(pid)
        .map(
            root ->
                Stream.concat(Stream.of(root), root.descendants())
                        .mapToLong(process -> ticks(process.pid(), USER, SYSTEM))
                        .sum()
                    + ticks(pid, WAITED_USER, WAITED_SYSTEM))
        .map(ticks -> ticks * MICROS_PER_TICK)
        .orElse(0L);
  }

  private static long ticks(long process, int first, int second) {
    try {
      String stat =
          Files.readString(
              Path.of("/proc", Long.toString(process), "stat"), StandardCharsets.ISO_8859_1);
      String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
      return Long.parseLong(fields[first]) + Long.parseLong(fields[second]);
    } catch (IOException e) {
      // It ended meanwhile; its parent has the time.
      return 0;
    }
  }
}
