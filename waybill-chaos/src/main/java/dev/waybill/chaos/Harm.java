package dev.waybill.chaos;

import dev.waybill.testkit.DatabaseProduct;
import java.util.Arrays;
import java.util.List;

/** Ways to hurt. */
enum Harm {
  KILLED("process killed", 1),
  KILLED_IN_HANDLER("process killed in a handler", 1),
  FROZEN("process frozen beyond its lease", 1),
  CLOCK_WRONG("process with a clock an hour off", 1),
  COMMIT_NOT_SENT("cut before a commit", 3),
  COMMIT_NOT_ANSWERED("cut after a commit", 3),
  CUT("connections cut", 3),
  UNANSWERED("connections cut at the next answer", 3),
  PAUSED("network paused", 2),
  UNREACHABLE("database unreachable", 1),
  SERVER_KILLED("server killed", 1),
  SERVER_RESTARTED("server restarted", 1),
  FILE_LOCKED("file locked by a stranger", 2);

  /** With a file, the database's clock is the process's: there is no other one to differ from. */
  private static final List<Harm> NEED_A_SERVER =
      List.of(CLOCK_WRONG, CUT, UNANSWERED, PAUSED, UNREACHABLE, SERVER_KILLED, SERVER_RESTARTED);

  private final String text;
  private final int often;

  Harm(String text, int often) {
    this.text = text;
    this.often = often;
  }

  /** What can be done to a database of this kind: one in a file has no network and no server. */
  static List<Harm> of(DatabaseProduct product) {
    return Arrays.stream(values())
        .filter(
            harm ->
                product == DatabaseProduct.SQLITE
                    ? !NEED_A_SERVER.contains(harm)
                    : harm != FILE_LOCKED)
        .toList();
  }

  /** How many times as often as the slowest. */
  int often() {
    return often;
  }

  @Override
  public String toString() {
    return text;
  }
}
