package dev.waybill.console;

import dev.waybill.job.JobStatus;
import dev.waybill.job.ScheduleInfo;
import dev.waybill.outbox.PartitionStatus;
import dev.waybill.outbox.QueueStatus;
import dev.waybill.workflow.WaitingGate;
import dev.waybill.workflow.WorkflowInfo;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** What somebody should look at first, and why it does not move. */
final class Attention {
  private static final Duration STUCK = Duration.ofSeconds(10);
  private static final Duration SLOW = Duration.ofMinutes(1);

  /** Runs that failed longer ago are no news. */
  private static final Duration LATELY = Duration.ofDays(1);

  private static final int MOST = 50;

  /** More blocked partitions of a queue than these become one line. */
  private static final int FEW = 3;

  /** How urgent something is. */
  enum Level {
    BAD,
    WARN,
    INFO
  }

  /**
   * One thing.
   *
   * @param what it is about
   * @param why it is here, in a sentence
   * @param link where the page shows more
   */
  record Item(Level level, String what, String why, String link) {
    Doc document() {
      return Doc.of("level", level).put("what", what).put("why", why).put("link", link);
    }
  }

  private final List<Item> items = new ArrayList<>();

  private Attention() {}

  /** The most urgent first. */
  static List<Item> of(Sample sample) {
    Attention attention = new Attention();
    String error = sample.error();
    if (error != null) {
      attention.add(Level.BAD, "Database", error + " What you see is older.", "/system");
    }
    sample
        .health()
        .failing()
        .forEach(
            (worker, why) ->
                attention.add(
                    Level.BAD, "Worker " + worker, "Its last run failed: " + why, "/system"));
    sample.queues().forEach(attention::lookAt);
    attention.deadLetters(sample);
    sample.types().forEach(attention::lookAt);
    sample.schedules().forEach(attention::lookAt);
    attention.runs(sample);
    return attention.items.stream().sorted(Comparator.comparing(Item::level)).limit(MOST).toList();
  }

  private void add(Level level, String what, String why, String link) {
    items.add(new Item(level, what, why, link));
  }

  private void lookAt(QueueStatus queue) {
    long paused = queue.partitions().stream().filter(PartitionStatus::paused).count();
    String link = "/queues/" + Links.encode(queue.name());
    if (paused > 0 && paused == queue.partitions().size()) {
      add(
          queue.lag() > 0 ? Level.WARN : Level.INFO,
          "Queue " + queue.name(),
          "Paused by an operator; " + messages(queue.lag()) + " until somebody resumes it.",
          link);
      return;
    }
    List<PartitionStatus> blocked =
        queue.partitions().stream().filter(Attention::isBlocked).toList();
    if (blocked.size() > FEW) {
      add(
          Level.BAD,
          "Queue " + queue.name(),
          blocked.size()
              + " of "
              + queue.partitions().size()
              + " partitions are blocked. Partition "
              + blocked.get(0).number()
              + ": "
              + nextTry(blocked.get(0)),
          link);
    }
    for (PartitionStatus partition : queue.partitions()) {
      if (blocked.size() <= FEW || !isBlocked(partition)) {
        lookAt(queue, partition, link);
      }
    }
  }

  private static boolean isBlocked(PartitionStatus partition) {
    return !partition.paused()
        && partition.lag() > 0
        && partition.attempts() > 0
        && partition.lastError() != null;
  }

  private static String nextTry(PartitionStatus partition) {
    return States.blocked(partition)
        + (partition.retryIn().isZero()
            ? "."
            : "; next try in " + States.brief(partition.retryIn()) + ".");
  }

  private void lookAt(QueueStatus queue, PartitionStatus partition, String link) {
    String what = "Queue " + queue.name() + ", partition " + partition.number();
    Duration waiting = partition.waiting() == null ? Duration.ZERO : partition.waiting();
    if (partition.paused()) {
      add(
          partition.lag() > 0 ? Level.WARN : Level.INFO,
          what,
          "Paused by an operator; " + messages(partition.lag()) + " until somebody resumes it.",
          link);
    } else if (isBlocked(partition)) {
      add(Level.BAD, what, nextTry(partition), link);
    } else if (partition.leaseOwner() != null && waiting.compareTo(SLOW) > 0) {
      add(
          Level.WARN,
          what,
          "The oldest message waits for "
              + States.brief(waiting)
              + "; delivered by "
              + partition.leaseOwner()
              + ", whose lease lasts another "
              + States.brief(partition.leaseFor())
              + ".",
          link);
    } else if (partition.lag() > 0
        && partition.leaseOwner() == null
        && partition.retryIn().isZero()
        && waiting.compareTo(STUCK) > 0) {
      add(
          Level.WARN,
          what,
          messages(partition.lag())
              + " since "
              + States.brief(waiting)
              + ", and nobody delivers: no process that serves this queue seems to run.",
          link);
    }
    if (partition.parked() > 0) {
      add(
          Level.WARN,
          what,
          partition.parked() + " messages are parked behind a message of their key that failed.",
          link);
    }
  }

  private static String messages(long lag) {
    return lag == 0 ? "nothing waits" : lag == 1 ? "1 message waits" : lag + " messages wait";
  }

  private void deadLetters(Sample sample) {
    int found = sample.deadLetters().size();
    if (found > 0) {
      String many =
          found > Sample.MOST_DEAD_LETTERS
              ? "More than " + Sample.MOST_DEAD_LETTERS + " messages were given up"
              : found == 1 ? "1 message was given up" : found + " messages were given up";
      add(
          Level.BAD,
          "Dead letters",
          many
              + "; the latest, in "
              + sample.deadLetters().get(0).message().queue()
              + ": "
              + sample.deadLetters().get(0).lastError(),
          "/dead-letters");
    }
  }

  private void lookAt(Sample.JobType type) {
    String name = type.definition().type();
    String link = "/jobs?type=" + Links.encode(name);
    long dead = type.count(JobStatus.DEAD_LETTERED);
    long waiting = type.count(JobStatus.PENDING);
    if (dead > 0) {
      add(
          Level.BAD,
          "Jobs " + name,
          counted(dead) + (dead == 1 ? " job has" : " jobs have") + " failed for good.",
          link + "&status=DEAD_LETTERED");
    }
    if (waiting > 0 && (type.paused() || !type.definition().enabled())) {
      add(
          Level.WARN,
          "Jobs " + name,
          (type.paused() ? "The type is paused; " : "The type is disabled; ")
              + counted(waiting)
              + (waiting == 1 ? " job waits." : " jobs wait."),
          link + "&status=PENDING");
    } else if (waiting > 0
        && type.count(JobStatus.LEASED) == 0
        && type.counts().containsKey(JobStatus.LEASED)) {
      add(
          Level.INFO,
          "Jobs " + name,
          counted(waiting) + (waiting == 1 ? " is" : " are") + " due, and none runs.",
          link + "&status=PENDING");
    }
  }

  static String counted(long count) {
    return count >= Sample.MOST_COUNTED ? Sample.MOST_COUNTED + " or more" : Long.toString(count);
  }

  private void lookAt(ScheduleInfo schedule) {
    if (schedule.failures() > 0) {
      add(
          Level.BAD,
          "Schedule " + schedule.schedule().name(),
          "Could not be acted upon "
              + schedule.failures()
              + " times in a row: "
              + schedule.lastError(),
          "/schedules");
    }
  }

  private void runs(Sample sample) {
    Instant yesterday = sample.at().minus(LATELY);
    List<WorkflowInfo> failed =
        sample.found().failed().stream()
            .filter(run -> run.finishedAt() == null || run.finishedAt().isAfter(yesterday))
            .toList();
    if (!failed.isEmpty()) {
      String many =
          failed.size() > Sample.MOST_FAILED
              ? "More than " + Sample.MOST_FAILED + " runs"
              : failed.size() == 1 ? "1 run" : failed.size() + " runs";
      add(
          Level.BAD,
          "Workflows",
          many
              + " failed within a day"
              + (failed.size() == 1 ? "" : "; the latest")
              + failure(sample, failed.get(0)),
          "/workflows?status=FAILED");
    }
    gates(sample);
  }

  private static String failure(Sample sample, WorkflowInfo run) {
    RunWatch.Failure known = sample.found().failures().get(run.id());
    return ", "
        + run.type()
        + (known == null ? "." : ", at step " + known.step() + ": " + known.why());
  }

  private void gates(Sample sample) {
    List<WaitingGate> gates = sample.found().gates();
    if (gates.size() > FEW) {
      add(
          Level.INFO,
          "Gates",
          (gates.size() > Sample.MOST_GATES ? "More than " + Sample.MOST_GATES : gates.size())
              + " gates wait for somebody. "
              + waits(sample, gates.get(0)),
          "/workflows");
      return;
    }
    for (WaitingGate gate : gates) {
      add(
          Level.INFO,
          "Gate " + gate.step(),
          waits(sample, gate),
          "/workflows/" + gate.run() + "?step=" + Links.encode(gate.step()));
    }
  }

  private static String waits(Sample sample, WaitingGate gate) {
    return "A run of "
        + gate.type()
        + " waits for somebody to complete "
        + gate.step()
        + ", for "
        + States.brief(positive(Duration.between(gate.since(), sample.at())))
        + ".";
  }

  /** The database's clock may be ahead of ours. */
  private static Duration positive(Duration duration) {
    return duration.isNegative() ? Duration.ZERO : duration;
  }
}
