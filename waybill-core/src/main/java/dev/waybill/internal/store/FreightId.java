package dev.waybill.internal.store;

import java.util.UUID;

/**
 * Ids of jobs that were enqueued in bulk: the last digit is a job's place in its freight, whose own
 * ends with 0, and a bit before it says that this may be so. It tells nothing about where the job
 * is now: its freight may have been unloaded.
 */
public final class FreightId {
  /** Jobs of a freight: as many as a digit of an id can tell apart. */
  public static final int MOST_JOBS = 16;

  private static final long PLACE = MOST_JOBS - 1;
  private static final long MARK = MOST_JOBS;

  private FreightId() {}

  /** One that no job of a freight has. */
  public static UUID alone(long high, long low) {
    return new UUID(high, low & ~MARK);
  }

  /** One that its first job shares with a freight. */
  public static UUID freight(long high, long low) {
    return new UUID(high, (low | MARK) & ~PLACE);
  }

  /** The id of a freight's job. */
  public static UUID job(UUID freight, int place) {
    return new UUID(freight.getMostSignificantBits(), freight.getLeastSignificantBits() | place);
  }

  /** Whether the job may be in a freight. */
  public static boolean mayBeAboard(UUID job) {
    return (job.getLeastSignificantBits() & MARK) != 0;
  }

  /** The freight that the job was enqueued in. */
  static UUID of(UUID job) {
    return new UUID(job.getMostSignificantBits(), job.getLeastSignificantBits() & ~PLACE);
  }

  /** The job's place in it, from 0. */
  static int place(UUID job) {
    return (int) (job.getLeastSignificantBits() & PLACE);
  }
}
