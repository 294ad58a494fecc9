package dev.waybill.outbox;

import java.time.Duration;

/** The checks that settings share. */
final class Settings {
  /** Longer than any setting means; below it no arithmetic overflows. */
  private static final Duration LONGEST = Duration.ofDays(36_500);

  private Settings() {}

  static void require(boolean valid, String field, String complaint) {
    if (!valid) {
      throw new OutboxException.InvalidSetting(field, complaint);
    }
  }

  static void atLeastOne(String field, int value) {
    require(value >= 1, field, "must be at least 1, but is " + value);
  }

  static void positive(String field, Duration value) {
    require(!value.isZero(), field, "must be longer than zero");
    notNegative(field, value);
  }

  static void notNegative(String field, Duration value) {
    require(!value.isNegative(), field, "must not be negative, but is " + value);
    require(value.compareTo(LONGEST) <= 0, field, "must be at most 100 years, but is " + value);
  }
}
