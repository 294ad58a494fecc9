package dev.waybill.examples;

import java.time.Duration;
import java.util.Optional;

/** The company that fetches parcels. Its servers are slow, and ask for patience when it is busy. */
@FunctionalInterface
public interface Carrier {
  /**
   * Orders a pick-up; the same order twice is one pick-up.
   *
   * @param epoch grows with every attempt, so that the carrier can refuse a call that comes late
   * @return how long to wait before asking again; empty if the parcel will be fetched
   */
  Optional<Duration> fetch(String order, long epoch);
}
