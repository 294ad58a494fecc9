package dev.waybill.internal.store;

import dev.waybill.DatabaseException;
import dev.waybill.DatabaseException.Kind;
import dev.waybill.internal.sql.Database;
import dev.waybill.internal.sql.Dialect;
import dev.waybill.internal.sql.Retry;
import dev.waybill.internal.sql.Row;
import dev.waybill.internal.sql.Tx;
import java.sql.SQLException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;

/**
 * Clears whole slots instead of deleting rows (PostgreSQL). New messages go to one slot until it is
 * full; then to an empty one. A slot that nobody needs is locked, looked at again under that lock,
 * and truncated. What few partitions still need of a slot is carried to slot 0. The two tables with
 * a row per partition are written anew when they hold many times their rows.
 *
 * <p>Any number of these may run: each step locks the one row of <i>rotation</i>, or leaves it to
 * whoever has it. Each step is a transaction, and any of them may be the last. An instance is for
 * one thread.
 */
public final class Rotation {
  private static final String LOCK_TIMEOUT = "50ms";

  /** With at most 200 messages each, so few that a step stays short. */
  private static final int CARRIED_SEGMENTS = 50;

  /** What two rows, with the space that is left free for their next versions, need at most. */
  private static final int CURSOR_BYTES = 1 << 10;

  private static final List<String> CURSOR_TABLES =
      List.of("outbox_partitions", "outbox_processor");

  private final Database database;
  private final Limits limits;
  private final Attempts[] attempts = Attempts.of(Slots.COUNT + 1);
  private final Attempts[] intakeAttempts = Attempts.of(Slots.INTAKES);
  private final Attempts renewals = new Attempts();

  private Rotation(Database database, Limits limits) {
    this.database = database.retrying(Retry.never());
    this.limits = limits;
  }

  /**
   * When to turn to the next slot.
   *
   * @param slotBytes when the bodies of one take so much space
   * @param intakeBytes when one of incoming does, dead rows included: sequencing has to pass them
   * @param cursorBytes when the tables with a row per partition take so much more than these need,
   *     their rows are written anew
   * @param age when one is not empty and so long in use
   */
  public record Limits(long slotBytes, long intakeBytes, long cursorBytes, Duration age) {
    /** For everybody: some hundred thousand small messages, and some ten thousand of incoming. */
    public static Limits standard(Duration age) {
      return new Limits(64L << 20, 4L << 20, 1L << 20, age);
    }
  }

  /**
   * What was done.
   *
   * @param messages how many were cleared away
   * @param moved whether there may be more to do at once
   * @param waiting whether there is something to clear that somebody still needs or holds
   */
  public record Turned(long messages, boolean moved, boolean waiting) {}

  /** The databases where this pays. */
  public static Optional<Rotation> of(Database database, Limits limits) {
    return database.dialect() == Dialect.POSTGRES
        ? Optional.of(new Rotation(database, limits))
        : Optional.empty();
  }

  /** The same, with no failed attempt to remember. */
  Rotation eager() {
    return new Rotation(database, limits);
  }

  /** How the slots stand. The sizes are those of files, so they count dead rows. */
  @SuppressWarnings("ArrayRecordComponent") // Lives for one turn; never compared.
  private record State(
      Slots slots,
      long told,
      Duration age,
      long[] bytes,
      long[] used,
      long[] intakes,
      long partitions,
      long cursors) {
    static State of(Row row) throws SQLException {
      long[] bytes = new long[Slots.COUNT + 1];
      long[] used = new long[Slots.COUNT + 1];
      for (int slot = 1; slot <= Slots.COUNT; slot++) {
        bytes[slot] = row.number("bytes_" + slot);
        used[slot] = row.number("used_" + slot);
      }
      long[] intakes = new long[Slots.INTAKES];
      for (int slot = 0; slot < Slots.INTAKES; slot++) {
        intakes[slot] = row.number("intake_" + slot);
      }
      return new State(
          new Slots(
              (int) row.number("head"), (int) row.number("intake"), (int) row.number("unread")),
          row.number("told"),
          Duration.of(row.number("age"), ChronoUnit.MICROS),
          bytes,
          used,
          intakes,
          row.number("partitions"),
          row.number("cursors"));
    }

    boolean hasFree() {
      return slots.others().stream().anyMatch(slot -> used[slot] == 0);
    }

    boolean isEmpty() {
      return used[slots.head()] == 0 && slots.others().stream().allMatch(slot -> used[slot] == 0);
    }
  }

  /** Whether no slot but 0 holds anything. */
  public boolean isEmpty() {
    return state().isEmpty();
  }

  private State state() {
    return database.single(tx -> tx.sql("outbox_rotation").one(State::of));
  }

  private static Optional<State> locked(Tx tx) {
    return tx.sql("outbox_rotation_lock").first(State::of);
  }

  private static void write(Tx tx, Slots slots) {
    tx.sql("outbox_rotation_turn")
        .set("head", slots.head())
        .set("intake", slots.intake())
        .set("unread", slots.unread())
        .set("slots", slots.number())
        .execute();
  }

  /** Turns what is full, clears what nobody needs, carries what few still need. */
  public Turned turn() {
    State state = state();
    boolean moved = isDue(state) && step(this::turned);
    boolean waiting = false;
    for (int intake : state.slots().otherIntakes()) {
      if (state.intakes()[intake] > 0) {
        boolean cleared = clearIntake(intake);
        moved |= cleared;
        waiting |= !cleared;
      }
    }
    if (isWorn(state) && renewals.isDue()) {
      boolean renewed = renewals.ended(step(this::renewed));
      moved |= renewed;
      waiting |= !renewed;
    }
    long messages = 0;
    for (int slot : state.slots().others()) {
      if (state.used()[slot] > 0) {
        long cleared = clear(slot);
        messages += Math.max(0, cleared);
        moved |= cleared >= 0;
        waiting |= cleared < 0;
      }
    }
    if (!moved && !state.hasFree() && state.bytes()[state.slots().head()] >= 2 * limits.slotBytes) {
      moved = carryOne(state.slots());
    }
    return new Turned(messages, moved, waiting);
  }

  private boolean turned(Tx tx, State state) {
    if (!isDue(state)) {
      return false;
    }
    write(tx, next(state));
    return true;
  }

  /** Also if others were told something else, because a turn was not committed after all. */
  private boolean isDue(State state) {
    Slots next = next(state);
    return !next.equals(state.slots()) || state.told() != next.number();
  }

  /** Where new messages should go. Only to what is empty: else nothing could ever be cleared. */
  private Slots next(State state) {
    Slots slots = state.slots();
    Slots next = slots;
    if (state.intakes()[slots.intake()] >= limits.intakeBytes) {
      for (int intake : slots.otherIntakes()) {
        if (state.intakes()[intake] == 0) {
          next = next.withIntake(intake);
          break;
        }
      }
    }
    boolean full = state.bytes()[slots.head()] >= limits.slotBytes;
    if (state.used()[slots.head()] > 0 && (full || state.age().compareTo(limits.age) >= 0)) {
      for (int slot : slots.others()) {
        if (state.used()[slot] == 0) {
          return next.withHead(slot);
        }
      }
    }
    return next;
  }

  private boolean isWorn(State state) {
    return state.cursors() >= limits.cursorBytes + state.partitions() * CURSOR_BYTES;
  }

  /**
   * Writes the rows of <i>partitions</i> and <i>processor</i> anew, without the versions that a
   * held snapshot keeps: whoever looks for a partition would walk along all of them. Says whether
   * that made the tables less than half as large.
   */
  private boolean renewed(Tx tx, State state) {
    if (!isWorn(state)) {
      return false;
    }
    lock(tx, "outbox_cursors");
    for (String table : CURSOR_TABLES) {
      String rows = tx.sql(table + "_copy").one(row -> row.text("copies"));
      tx.sql(table + "_clear").execute();
      tx.sql(table + "_restore").set("copies", rows).execute();
    }
    return 2 * tx.sql("outbox_cursors").one(row -> row.number("bytes")) < state.cursors();
  }

  boolean clearIntake(int slot) {
    String name = "outbox_intake_" + slot;
    return !isAny(name + "_used")
        && intakeAttempts[slot].isDue()
        && intakeAttempts[slot].ended(
            step(
                (tx, state) -> {
                  if (state.slots().intake() == slot) {
                    return false;
                  }
                  lock(tx, name);
                  if (isAny(tx, name + "_used")) {
                    return false;
                  }
                  tx.sql(name + "_clear").execute();
                  return true;
                }));
  }

  /**
   * Says how many messages were in it, or -1 if it is still needed or held. Readers are first told
   * to leave it out: then they do not hold its lock, however long their handlers run.
   */
  long clear(int slot) {
    String name = "outbox_slot_" + slot;
    if (isAny(name + "_needed") || !attempts[slot].isDue()) {
      return -1;
    }
    long messages = messages(slot, "messages");
    step(
        (tx, state) -> {
          if (state.slots().head() != slot && !state.slots().leavesOut(slot)) {
            write(tx, state.slots().notReading(slot));
          }
          return true;
        });
    boolean cleared =
        step(
            (tx, state) -> {
              if (state.slots().head() == slot) {
                return false;
              }
              lock(tx, name);
              if (isAny(tx, name + "_needed")) {
                write(tx, state.slots().reading(slot));
                return false;
              }
              tx.sql(name + "_clear").execute();
              return true;
            });
    return attempts[slot].ended(cleared) ? messages : -1;
  }

  private static void lock(Tx tx, String name) {
    tx.sql("outbox_lock_timeout").set("limit", LOCK_TIMEOUT).execute();
    tx.sql(name + "_lock").execute();
  }

  private boolean isAny(String statement) {
    return database.single(tx -> isAny(tx, statement));
  }

  private static boolean isAny(Tx tx, String statement) {
    return tx.sql(statement).one(row -> row.number("n")) > 0;
  }

  private long messages(int slot, String column) {
    return database.single(
        tx -> tx.sql("outbox_slot_" + slot + "_messages").one(row -> row.number(column)));
  }

  /**
   * If most of a slot is done with, the rest is not worth its space. Says whether one was freed.
   */
  private boolean carryOne(Slots slots) {
    for (int slot : slots.others()) {
      if (2 * messages(slot, "needed") <= messages(slot, "messages")) {
        boolean carried = false;
        while (step((tx, state) -> state.slots().head() != slot && carry(tx, slot))) {
          carried = true;
        }
        return carried;
      }
    }
    return false;
  }

  private static boolean carry(Tx tx, int slot) {
    return tx.sql("outbox_slot_" + slot + "_carry")
            .set("segments", CARRIED_SEGMENTS)
            .one(row -> row.number("segments"))
        > 0;
  }

  private interface Step {
    boolean done(Tx tx, State state);
  }

  /** A transaction under the row's lock. False if others have that, or the slot. */
  private boolean step(Step step) {
    try {
      return database.transact(tx -> locked(tx).map(state -> step.done(tx, state)).orElse(false));
    } catch (DatabaseException e) {
      if (e.kind() == Kind.CONTENTION) {
        return false;
      }
      throw e;
    }
  }
}
