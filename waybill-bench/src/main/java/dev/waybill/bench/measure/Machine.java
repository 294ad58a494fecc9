package dev.waybill.bench.measure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The machine's processors, and who else used them.
 *
 * @param busy ticks that were used by anybody
 * @param stolen ticks that the machine's host gave to others
 * @param total ticks of all processors
 */
public record Machine(long busy, long stolen, long total) {
  private static final Path STAT = Path.of("/proc/stat");
  private static final int IDLE = 3;
  private static final int IO_WAIT = 4;
  private static final int STOLEN = 7;
  private static final int FIELDS = 8;

  /** In less than that, a tick more or less would look like a busy neighbour. */
  private static final int FEWEST_TICKS = 50;

  /** Now. All zero where the system does not tell. */
  public static Machine now() {
    if (!Files.isReadable(STAT)) {
      return new Machine(0, 0, 0);
    }
    try {
      List<String> lines = Files.readAllLines(STAT);
      String[] fields = lines.get(0).substring(5).split(" ", -1);
      long total = 0;
      for (int i = 0; i < FIELDS; i++) {
        total += Long.parseLong(fields[i]);
      }
      long idle = Long.parseLong(fields[IDLE]) + Long.parseLong(fields[IO_WAIT]);
      long stolen = Long.parseLong(fields[STOLEN]);
      return new Machine(total - idle - stolen, stolen, total);
    } catch (IOException e) {
      return new Machine(0, 0, 0);
    }
  }

  /** What was used since, as a share of all processors, without what we used ourselves. */
  public double foreignShareSince(Machine earlier, long ownMicros) {
    long ticks = total - earlier.total;
    if (ticks < FEWEST_TICKS) {
      return 0;
    }
    double own = ownMicros / 10_000.0;
    double foreign = busy - earlier.busy - own + (stolen - earlier.stolen);
    return Math.max(0, foreign / ticks);
  }

  /** What this machine is, for people. */
  public static String description() {
    return Runtime.getRuntime().availableProcessors()
        + " cores ("
        + cpuModel()
        + "), "
        + System.getProperty("os.name")
        + " "
        + System.getProperty("os.version")
        + ", Java "
        + Runtime.version();
  }

  private static String cpuModel() {
    Path info = Path.of("/proc/cpuinfo");
    if (!Files.isReadable(info)) {
      return System.getProperty("os.arch");
    }
    try (var lines = Files.lines(info)) {
      return lines
          .filter(line -> line.startsWith("model name"))
          .map(line -> line.substring(line.indexOf(':') + 1).strip())
          .findFirst()
          .orElse(System.getProperty("os.arch"));
    } catch (IOException e) {
      return System.getProperty("os.arch");
    }
  }
}
