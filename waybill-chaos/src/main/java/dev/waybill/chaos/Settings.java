package dev.waybill.chaos;

import dev.waybill.testkit.DatabaseProduct;
import java.time.Duration;

/**
 * How long a storm lasts: until all three are reached.
 *
 * @param processes how many at a time; SQLite has one
 */
record Settings(
    DatabaseProduct product, long seed, Duration time, int faults, long messages, int processes) {}
