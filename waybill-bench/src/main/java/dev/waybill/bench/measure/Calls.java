package dev.waybill.bench.measure;

import java.util.concurrent.atomic.LongAdder;

/**
 * Counts what goes to the database. A statement of a batch counts as a statement, a batch as one
 * round trip; a commit as a round trip if there was anything to commit. Opening a transaction costs
 * none on PostgreSQL, whose driver sends it along with the first statement, and one elsewhere.
 */
public final class Calls {
  private final LongAdder statements = new LongAdder();
  private final LongAdder roundTrips = new LongAdder();
  private final LongAdder commits = new LongAdder();

  /**
   * What was counted.
   *
   * @param statements executed, those of batches one by one
   * @param roundTrips to the server and back
   * @param commits of transactions, statements in auto-commit mode included
   */
  public record Count(long statements, long roundTrips, long commits) {
    /** What both counted. */
    public Count plus(Count other) {
      return new Count(
          statements + other.statements, roundTrips + other.roundTrips, commits + other.commits);
    }

    /** What was counted since. */
    public Count since(Count earlier) {
      return new Count(
          statements - earlier.statements,
          roundTrips - earlier.roundTrips,
          commits - earlier.commits);
    }
  }

  void statements(int count) {
    statements.add(count);
    roundTrips.increment();
  }

  void roundTrip() {
    roundTrips.increment();
  }

  void commit() {
    commits.increment();
  }

  /** What was counted so far. */
  public Count count() {
    return new Count(statements.sum(), roundTrips.sum(), commits.sum());
  }
}
