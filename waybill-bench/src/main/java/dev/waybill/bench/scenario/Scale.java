package dev.waybill.bench.scenario;

/**
 * How large the runs are.
 *
 * @param name of the scale
 * @param seconds that a run under load takes
 * @param pacedSeconds that one at a steady rate takes: of few messages the slowest percent is
 *     chance
 * @param warmUps how many runs' time a warm-up takes at most
 * @param soakSeconds that the soak takes
 * @param idleSeconds that the idle run takes
 * @param largest messages of a backlog, whatever the contender could do
 * @param graphs small ones that are run; a large one has five times as many steps side by side
 */
public record Scale(
    String name,
    int seconds,
    int pacedSeconds,
    int warmUps,
    int soakSeconds,
    int idleSeconds,
    int largest,
    int graphs) {
  /** To see that everything works. */
  public static final Scale TINY = new Scale("tiny", 1, 1, 1, 5, 2, 2_000, 20);

  /** For a first impression. */
  public static final Scale QUICK = new Scale("quick", 2, 2, 1, 30, 10, 100_000, 200);

  /** For figures that are published. */
  public static final Scale FULL = new Scale("full", 10, 20, 3, 600, 60, 500_000, 1_000);

  /** The scale of this name. */
  public static Scale named(String name) {
    return switch (name) {
      case "tiny" -> TINY;
      case "quick" -> QUICK;
      case "full" -> FULL;
      default ->
          throw new IllegalArgumentException(
              "No such scale: " + name + "; there are tiny, quick and full");
    };
  }

  /** A backlog that a contender of this rate works on for the time of a run. */
  public int backlog(int rate) {
    return Math.max(100, Math.min(largest, rate * seconds));
  }
}
