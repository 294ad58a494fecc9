package dev.waybill.internal.doctor;

import dev.waybill.internal.sql.Tx;
import dev.waybill.internal.store.MessageStore;
import dev.waybill.internal.store.MessageStore.Head;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/** Whether the messages that are to be delivered next are there, with their bodies. */
final class HeadsTopic {
  private static final String CODE = "head-of-line";
  private static final int PARTITIONS = 100;
  private static final int MESSAGES = 100;
  private static final int REPORTED = 10;
  private static final Set<String> TABLES =
      Set.of(
          "waybill_outbox_queues",
          "waybill_outbox_partitions",
          "waybill_outbox_processor",
          "waybill_outbox_body");

  /** Where numbers are kept apart from bodies. */
  private static final String NUMBERS = "waybill_outbox_outgoing";

  private HeadsTopic() {}

  private record Partition(long id, String queue, long number) {}

  /** Numbers that were given and are not there, and those whose bodies are not. */
  private record Missing(SortedSet<Long> numbers, SortedSet<Long> bodies) {
    boolean isNothing() {
      return numbers.isEmpty() && bodies.isEmpty();
    }

    /** What both looks found missing. */
    Missing and(Missing other) {
      SortedSet<Long> bothNumbers = new TreeSet<>(numbers);
      bothNumbers.retainAll(other.numbers);
      SortedSet<Long> bothBodies = new TreeSet<>(bodies);
      bothBodies.retainAll(other.bodies);
      return new Missing(bothNumbers, bothBodies);
    }
  }

  static void examine(Patient patient, Findings findings) {
    Set<String> tables = patient.tables().keySet();
    if (!tables.containsAll(TABLES) || !(patient.isMySql() || tables.contains(NUMBERS))) {
      return;
    }
    MessageStore messages = MessageStore.of(patient.database());
    List<Partition> lagging = new ArrayList<>();
    Map<Partition, Missing> suspects =
        patient.read(
            tx -> {
              lagging.addAll(lagging(tx));
              return missing(tx, messages, lagging);
            });
    Map<Partition, Missing> certain = new LinkedHashMap<>();
    if (!suspects.isEmpty()) {
      Map<Partition, Missing> again =
          patient.read(tx -> missing(tx, messages, List.copyOf(suspects.keySet())));
      again.forEach(
          (partition, missing) -> {
            Missing before = suspects.get(partition);
            Missing both = before == null ? missing : missing.and(before);
            if (!both.isNothing()) {
              certain.put(partition, both);
            }
          });
    }
    report(patient, findings, lagging.size(), certain);
  }

  private static List<Partition> lagging(Tx tx) {
    return tx.sql("doctor_lagging")
        .set("rows", PARTITIONS)
        .list(row -> new Partition(row.number("id"), row.text("name"), row.number("number")));
  }

  private static Map<Partition, Missing> missing(
      Tx tx, MessageStore messages, List<Partition> partitions) {
    Map<Partition, Missing> missing = new LinkedHashMap<>();
    for (Partition partition : partitions) {
      Missing found = missing(messages.look(tx, partition.id(), MESSAGES));
      if (!found.isNothing()) {
        missing.put(partition, found);
      }
    }
    return missing;
  }

  private static Missing missing(Head head) {
    SortedSet<Long> numbers = new TreeSet<>();
    SortedSet<Long> bodies = new TreeSet<>();
    long last = Math.min(head.sequence(), head.processedSeq() + MESSAGES);
    for (long seq = head.processedSeq() + 1; seq <= last; seq++) {
      Boolean body = head.bodies().get(seq);
      if (body == null) {
        numbers.add(seq);
      } else if (!body) {
        bodies.add(seq);
      }
    }
    return new Missing(numbers, bodies);
  }

  private static void report(
      Patient patient, Findings findings, int looked, Map<Partition, Missing> certain) {
    if (certain.isEmpty()) {
      findings.ok(
          CODE,
          looked == 0
              ? "No message waits."
              : "The first waiting messages of "
                  + (looked < PARTITIONS ? "" : "the first ")
                  + looked
                  + (looked == 1 ? " partition" : " partitions")
                  + " are complete.");
      return;
    }
    certain.entrySet().stream()
        .limit(REPORTED)
        .forEach(each -> report(patient, findings, each.getKey(), each.getValue()));
    if (certain.size() > REPORTED) {
      findings.problem(
          CODE,
          (certain.size() - REPORTED) + " more partitions miss messages.",
          "Begin with those above.");
    }
  }

  private static void report(
      Patient patient, Findings findings, Partition partition, Missing missing) {
    String where = "partition " + partition.number() + " of the queue '" + partition.queue() + "'";
    if (!missing.numbers().isEmpty()) {
      findings.problem(
          CODE,
          "Of the first "
              + MESSAGES
              + " numbers in "
              + where
              + ", "
              + some(missing.numbers())
              + " not there though given: somebody else removed rows, or the database is damaged.",
          "Restore "
              + patient.quoted(NUMBERS)
              + " from a backup before the line gets there: it goes on behind them, and they are"
              + " never delivered.");
    }
    if (!missing.bodies().isEmpty()) {
      findings.problem(
          CODE,
          "Of the first "
              + MESSAGES
              + " messages in "
              + where
              + ", "
              + some(missing.bodies())
              + " without a body: somebody else removed rows, or the database is damaged.",
          "Restore "
              + patient.quoted("waybill_outbox_body")
              + " from a backup before they are reached; else they become dead letters with this"
              + " reason, and the line goes on.");
    }
  }

  private static String some(SortedSet<Long> numbers) {
    return numbers.size() == 1
        ? "number " + numbers.first() + " is"
        : numbers.size() + " (from number " + numbers.first() + " on) are";
  }
}
