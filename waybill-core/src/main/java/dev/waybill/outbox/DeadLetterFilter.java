package dev.waybill.outbox;

import dev.waybill.outbox.DeadLetterException.InvalidFilter;
import java.time.Instant;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Which dead letters an operation is about: those that meet all that is said here. Immutable; each
 * method returns a changed copy, and what is not said does not matter.
 *
 * <p>Unless a status is said, an operation takes what it is made for: lists and counts are about
 * pending ones, claims, discards and requeues about those that are free (pending, or claimed with a
 * passed deadline), a clean-up about those that are resolved or discarded.
 *
 * @param queue in this queue; a queue that does not exist has none
 * @param partition in this partition of the queue
 * @param type of this message type
 * @param statuses in one of these; empty for those that the operation is made for
 * @param ids one of these, or null for all; an empty list means none
 * @param failedAfter failed after this moment
 * @param failedBefore failed before this moment
 * @param last on the page after this one
 * @param most at most so many, or null for {@value #DEFAULT_LIMIT} or as many as there are ids
 */
public record DeadLetterFilter(
    @Nullable String queue,
    @Nullable Integer partition,
    @Nullable String type,
    Set<DeadLetterStatus> statuses,
    @Nullable List<Long> ids,
    @Nullable Instant failedAfter,
    @Nullable Instant failedBefore,
    @Nullable Position last,
    @Nullable Integer most) {

  /** How many an operation concerns at most, if nothing else is said. */
  public static final int DEFAULT_LIMIT = 100;

  /** How many an operation can concern at most: more would be held in memory at once. */
  public static final int MAX_LIMIT = 10_000;

  private static final int LONGEST_TYPE = 1024;

  /** Far enough for anyone, and within every database's numbers. */
  private static final Instant LATEST = Instant.parse("9999-12-31T00:00:00Z");

  /**
   * The place of a dead letter in a list.
   *
   * @param failedAt what lists are ordered by
   * @param id and, where that is equal, by this
   */
  public record Position(Instant failedAt, long id) {}

  /** Refuses what no dead letter can meet by its form. */
  public DeadLetterFilter {
    statuses = Set.copyOf(statuses);
    ids = ids == null ? null : List.copyOf(new TreeSet<>(ids));
    require(
        partition == null || (queue != null && partition >= 0 && partition < Partitions.MAX),
        "partition",
        "must be one of a queue, from 0 to 63, but is " + partition);
    require(
        type == null
            || (type.length() <= LONGEST_TYPE && type.chars().allMatch(c -> c >= ' ' && c <= '~')),
        "type",
        "must have at most 1024 printable ASCII characters");
    require(ids == null || ids.size() <= MAX_LIMIT, "ids", "must be at most " + MAX_LIMIT + " ids");
    require(
        most == null || (most >= 1 && most <= MAX_LIMIT),
        "limit",
        "must be from 1 to " + MAX_LIMIT + ", but is " + most);
    requireTime("failedAfter", failedAfter);
    requireTime("failedBefore", failedBefore);
    require(
        failedAfter == null || failedBefore == null || failedAfter.isBefore(failedBefore),
        "failedAfter",
        "must be before failedBefore, but is " + failedAfter + " and " + failedBefore);
  }

  private static void requireTime(String field, @Nullable Instant time) {
    require(
        time == null || !(time.isBefore(Instant.EPOCH) || time.isAfter(LATEST)),
        field,
        "must be between the years 1970 and 9999, but is " + time);
  }

  private static void require(boolean valid, String field, String complaint) {
    if (!valid) {
      throw new InvalidFilter(field, complaint);
    }
  }

  /** Every dead letter that the operation is made for, at most {@value #DEFAULT_LIMIT} of them. */
  public static DeadLetterFilter defaults() {
    return new DeadLetterFilter(null, null, null, Set.of(), null, null, null, null, null);
  }

  /** In this queue. */
  public DeadLetterFilter queue(String name) {
    return new DeadLetterFilter(
        Objects.requireNonNull(name, "queue"),
        null,
        type,
        statuses,
        ids,
        failedAfter,
        failedBefore,
        last,
        most);
  }

  /** In this partition of this queue. */
  public DeadLetterFilter partition(String queueName, int number) {
    return new DeadLetterFilter(
        Objects.requireNonNull(queueName, "queue"),
        number,
        type,
        statuses,
        ids,
        failedAfter,
        failedBefore,
        last,
        most);
  }

  /** Of this message type. */
  public DeadLetterFilter type(String value) {
    Objects.requireNonNull(value, "type");
    return new DeadLetterFilter(
        queue, partition, value, statuses, ids, failedAfter, failedBefore, last, most);
  }

  /** In this status. An operation that cannot concern such dead letters refuses the filter. */
  public DeadLetterFilter status(DeadLetterStatus value) {
    return statuses(EnumSet.of(value));
  }

  /** In whatever status; of those that the operation can concern, all. */
  public DeadLetterFilter anyStatus() {
    return statuses(EnumSet.allOf(DeadLetterStatus.class));
  }

  private DeadLetterFilter statuses(Set<DeadLetterStatus> values) {
    return new DeadLetterFilter(
        queue, partition, type, values, ids, failedAfter, failedBefore, last, most);
  }

  /** One of these, at most {@value #MAX_LIMIT}. */
  public DeadLetterFilter ids(Collection<Long> values) {
    return new DeadLetterFilter(
        queue,
        partition,
        type,
        statuses,
        List.copyOf(values),
        failedAfter,
        failedBefore,
        last,
        most);
  }

  /** Failed after this moment. */
  public DeadLetterFilter failedAfter(Instant time) {
    Objects.requireNonNull(time, "failedAfter");
    return new DeadLetterFilter(
        queue, partition, type, statuses, ids, time, failedBefore, last, most);
  }

  /** Failed before this moment. */
  public DeadLetterFilter failedBefore(Instant time) {
    Objects.requireNonNull(time, "failedBefore");
    return new DeadLetterFilter(
        queue, partition, type, statuses, ids, failedAfter, time, last, most);
  }

  /** The page after the one that ends with this dead letter: what failed before it. */
  public DeadLetterFilter before(DeadLetter lastOfPage) {
    return new DeadLetterFilter(
        queue,
        partition,
        type,
        statuses,
        ids,
        failedAfter,
        failedBefore,
        new Position(lastOfPage.failedAt(), lastOfPage.id()),
        most);
  }

  /** At most so many, up to {@value #MAX_LIMIT}. Counts do not mind. */
  public DeadLetterFilter limit(int value) {
    return new DeadLetterFilter(
        queue, partition, type, statuses, ids, failedAfter, failedBefore, last, value);
  }

  /** How many an operation concerns at most. */
  public int limit() {
    return most != null ? most : Math.max(DEFAULT_LIMIT, ids == null ? 0 : ids.size());
  }
}
