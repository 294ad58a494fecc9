package dev.waybill.internal.store;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * Which slots are in use (PostgreSQL). Only a hint: whoever has an old one writes to a slot that is
 * not the newest, or looks again into all of them; nothing is lost or doubled by it.
 *
 * @param head the slot of body and outgoing that new messages go to
 * @param intake the slot of incoming that they go to
 * @param unread slots of body and outgoing that readers may leave out, a bit each
 */
record Slots(int head, int intake, int unread) {
  /** Slots of body and outgoing; beside them there is slot 0, which is never cleared as a whole. */
  static final int COUNT = 3;

  /** Slots of incoming, from 0. */
  static final int INTAKES = 3;

  Slots {
    if (head < 1 || head > COUNT || intake < 0 || intake >= INTAKES || unread >> COUNT != 0) {
      throw new IllegalArgumentException("No such slots: " + head + ", " + intake + ", " + unread);
    }
  }

  /** As the database tells it, in one number. */
  static Slots of(long number) {
    return new Slots((int) number & 3, (int) number >> 2 & 3, (int) number >> 4 & 7);
  }

  long number() {
    return head | (long) intake << 2 | (long) unread << 4;
  }

  Slots withHead(int slot) {
    return new Slots(slot, intake, unread & ~bit(slot));
  }

  Slots withIntake(int slot) {
    return new Slots(head, slot, unread);
  }

  Slots reading(int slot) {
    return new Slots(head, intake, unread & ~bit(slot));
  }

  Slots notReading(int slot) {
    return new Slots(head, intake, unread | bit(slot));
  }

  /** With nothing left out. */
  Slots all() {
    return new Slots(head, intake, 0);
  }

  boolean leavesOut(int slot) {
    return (unread & bit(slot)) != 0;
  }

  /** Those that readers look into, beside slot 0. */
  List<Integer> read() {
    return IntStream.rangeClosed(1, COUNT).filter(slot -> !leavesOut(slot)).boxed().toList();
  }

  /** Every slot of body and outgoing but the one that is written to, the next one first. */
  List<Integer> others() {
    return after(head, 1, COUNT);
  }

  /** Every slot of incoming but the one that is written to, the next one first. */
  List<Integer> otherIntakes() {
    return after(intake, 0, INTAKES);
  }

  private static List<Integer> after(int slot, int first, int count) {
    List<Integer> all = new ArrayList<>();
    for (int i = 1; i < count; i++) {
      all.add(first + (slot - first + i) % count);
    }
    return all;
  }

  /** The parameters of the parts of a statement that write to these. */
  Set<String> written() {
    return Set.of("head", "head_" + head, "intake_" + intake);
  }

  /** The same for a single message. */
  Set<String> writtenOne() {
    return Set.of(
        "head",
        "head_" + head,
        "intake_" + intake,
        "partition",
        "type",
        "key",
        "headers",
        "payload");
  }

  /** The same for a single message that is numbered and taken at once, if possible. */
  Set<String> departingLast() {
    Set<String> parameters = new HashSet<>(writtenOne());
    parameters.add("heavy");
    return parameters;
  }

  /** The same for what is numbered and taken where it was just written. */
  Set<String> departing() {
    return Set.of("head", "head_" + head, "intake_" + intake, "n", "ids");
  }

  private static int bit(int slot) {
    return 1 << (slot - 1);
  }
}
