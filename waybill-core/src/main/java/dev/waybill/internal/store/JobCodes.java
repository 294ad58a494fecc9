package dev.waybill.internal.store;

import dev.waybill.job.AttemptOutcome;
import dev.waybill.job.JobContext;
import dev.waybill.job.JobEvent;
import dev.waybill.job.JobStatus;
import dev.waybill.job.Schedule;
import dev.waybill.job.ScheduleFire;
import java.util.List;

/**
 * The numbers that stand for words in the tables. The place in the list is the number, so a list
 * only ever grows at its end, whatever happens to the order of the words elsewhere.
 *
 * @param words by number
 */
record JobCodes<T>(List<T> words) {
  static final JobCodes<JobStatus> STATUS =
      new JobCodes<>(
          List.of(
              JobStatus.SCHEDULED,
              JobStatus.PENDING,
              JobStatus.LEASED,
              JobStatus.SUCCEEDED,
              JobStatus.DEAD_LETTERED,
              JobStatus.CANCELED));

  static final JobCodes<AttemptOutcome> OUTCOME =
      new JobCodes<>(
          List.of(
              AttemptOutcome.SUCCEEDED,
              AttemptOutcome.RETRYABLE,
              AttemptOutcome.TERMINAL,
              AttemptOutcome.PANICKED,
              AttemptOutcome.TIMEOUT,
              AttemptOutcome.LEASE_EXPIRED,
              AttemptOutcome.CANCELED,
              AttemptOutcome.CONTINUED,
              AttemptOutcome.RELEASED));

  static final JobCodes<JobEvent.Kind> EVENT =
      new JobCodes<>(
          List.of(
              JobEvent.Kind.CANCELED,
              JobEvent.Kind.REQUEUED,
              JobEvent.Kind.REPLAYED,
              JobEvent.Kind.REPLACED,
              JobEvent.Kind.QUARANTINED,
              JobEvent.Kind.RELEASED));

  static final JobCodes<JobContext.Level> LEVEL =
      new JobCodes<>(
          List.of(
              JobContext.Level.DEBUG,
              JobContext.Level.INFO,
              JobContext.Level.WARN,
              JobContext.Level.ERROR));

  static final JobCodes<Schedule.Misfire> MISFIRE =
      new JobCodes<>(List.of(Schedule.Misfire.SKIP, Schedule.Misfire.ONCE, Schedule.Misfire.ALL));

  static final JobCodes<Schedule.Overlap> OVERLAP =
      new JobCodes<>(List.of(Schedule.Overlap.ALLOW, Schedule.Overlap.SKIP));

  static final JobCodes<ScheduleFire.Outcome> FIRE =
      new JobCodes<>(
          List.of(
              ScheduleFire.Outcome.ENQUEUED,
              ScheduleFire.Outcome.OVERLAPPED,
              ScheduleFire.Outcome.MISFIRED,
              ScheduleFire.Outcome.TRIGGERED));

  int number(T word) {
    return words.indexOf(word);
  }

  T word(long number) {
    if (number < 0 || number >= words.size()) {
      throw new IllegalStateException(
          "The database says "
              + number
              + " where a newer release may know what it means: "
              + words);
    }
    return words.get((int) number);
  }
}
