package dev.waybill.internal.doctor;

import dev.waybill.internal.loop.Time;
import dev.waybill.internal.sql.Tx;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.stream.IntStream;

/** How far the clocks of this process and of the database are apart. */
final class ClockTopic {
  private static final String CODE = "clock-skew";
  private static final int READINGS = 3;

  private ClockTopic() {}

  /** The database's clock was ahead by so much, give or take half the round trip. */
  private record Reading(Duration ahead, Duration roundTrip) {}

  static void examine(Patient patient, Findings findings) {
    Reading best =
        patient.read(
            tx ->
                IntStream.range(0, READINGS)
                    .mapToObj(i -> read(tx, patient.time()))
                    .min(Comparator.comparing(Reading::roundTrip))
                    .orElseThrow());
    Duration apart = best.ahead().abs();
    String what =
        "The clocks of the database and of this process differ by "
            + Wording.age(apart)
            + " (the database's is "
            + (best.ahead().isNegative() ? "behind" : "ahead")
            + ", give or take "
            + Wording.age(best.roundTrip().dividedBy(2))
            + ").";
    String remedy =
        "Have both synchronised (NTP). Leases and retries go by the database's clock alone, but"
            + " times that this process names, such as deliverAt, are off by as much.";
    if (apart.compareTo(patient.thresholds().skewWarning()) > 0) {
      findings.warning(CODE, what, remedy);
    } else if (apart.compareTo(patient.thresholds().skewNote()) > 0) {
      findings.note(CODE, what, remedy);
    } else {
      findings.ok(
          CODE,
          "The clocks of the database and of this process are not more than "
              + Wording.age(apart.plus(best.roundTrip().dividedBy(2)).plusMillis(1))
              + " apart.");
    }
  }

  private static Reading read(Tx tx, Time time) {
    long began = time.nanos();
    Instant before = time.now();
    Instant theirs = tx.sql("doctor_clock").one(row -> row.time("now"));
    Duration roundTrip = Duration.ofNanos(time.nanos() - began);
    return new Reading(Duration.between(before.plus(roundTrip.dividedBy(2)), theirs), roundTrip);
  }
}
