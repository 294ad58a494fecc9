package dev.waybill.cli;

import dev.waybill.Waybill;
import dev.waybill.job.Enqueued;
import dev.waybill.job.JobAttempt;
import dev.waybill.job.JobEvent;
import dev.waybill.job.JobFilter;
import dev.waybill.job.JobInfo;
import dev.waybill.job.JobLogEntry;
import dev.waybill.job.JobRequest;
import dev.waybill.job.JobStatus;
import dev.waybill.job.Requeue;
import dev.waybill.job.Scope;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code waybill jobs …}: look at jobs, and have them run, stop or run again. */
@Command(
    name = "jobs",
    description = "Jobs: look at them, enqueue, cancel and requeue them.",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "COMMAND")
final class JobsCommand extends Parent {
  private static final int MOST = 1000;

  @Command(
      name = "list",
      description = {
        "List them, newest first. A status is found at once, whatever their age: those that ended by",
        "their end, the latest first; scheduled ones by when they are due; pending ones by type and turn.",
        "Of those that run, 10,000 are looked at."
      },
      mixinStandardHelpOptions = true)
  int list(
      @Mixin Operator operator,
      @Mixin Output output,
      @Option(names = "--type", paramLabel = "TYPE", description = "Of this type.")
          @Nullable String type,
      @Option(
              names = "--status",
              paramLabel = "STATUS",
              description = "In this status: ${COMPLETION-CANDIDATES}.")
          @Nullable JobStatus status,
      @Option(names = "--error", paramLabel = "CODE", description = "With this error.")
          @Nullable String error,
      @Option(names = "--tenant", paramLabel = "TENANT", description = "Of this tenant.")
          @Nullable String tenant,
      @Option(names = "--after", paramLabel = "ID", description = "The page after this job.")
          @Nullable UUID after,
      @Option(
              names = "--limit",
              paramLabel = "N",
              defaultValue = "20",
              description = "At most so many (${DEFAULT-VALUE}).")
          int limit)
      throws Exception {
    JobFilter filter =
        new JobFilter(
            tenant == null ? Scope.admin() : Scope.tenant(tenant),
            type,
            status,
            error,
            null,
            null,
            after,
            limit);
    return operator.withWaybill(
        waybill -> {
          List<JobInfo> jobs = waybill.jobs().list(filter);
          NextPage next = NextPage.after(jobs, limit, job -> job.id().toString());
          output.show(
              next.below(JobText.table(jobs)),
              next.in("jobs", jobs.stream().map(JobText::document).toList()));
          return ExitCode.FINE;
        });
  }

  @Command(
      name = "show",
      description = "Show one with its attempts and what happened to it.",
      mixinStandardHelpOptions = true)
  int show(
      @Mixin Operator operator,
      @Mixin Output output,
      @Parameters(paramLabel = "ID", description = "From the list.") UUID id,
      @Option(names = "--payload", description = "With payload, checkpoint and output.")
          boolean payload)
      throws Exception {
    return withJob(
        operator,
        output,
        id,
        (waybill, job) -> {
          List<JobAttempt> attempts = waybill.jobs().attempts(Scope.admin(), id);
          List<JobEvent> events = waybill.jobs().events(Scope.admin(), id, 0, MOST);
          JobInfo.Body body = payload ? waybill.jobs().body(Scope.admin(), id).orElse(null) : null;
          Map<String, Object> document = new LinkedHashMap<>(JobText.document(job));
          document.put("attempts", attempts.stream().map(JobText::document).toList());
          document.put("events", events.stream().map(JobText::document).toList());
          if (body != null) {
            document.put("payload", body.payload());
            JobText.put(document, "checkpoint", body.checkpoint());
            JobText.put(document, "output", body.output());
          }
          output.show(JobText.whole(job, attempts, events, body), document);
          return ExitCode.FINE;
        });
  }

  @Command(
      name = "logs",
      description = "What its handlers had to say.",
      mixinStandardHelpOptions = true)
  int logs(
      @Mixin Operator operator,
      @Mixin Output output,
      @Parameters(paramLabel = "ID", description = "From the list.") UUID id,
      @Option(
              names = "--after",
              paramLabel = "NUMBER",
              defaultValue = "0",
              description = "The first 1000 after this entry.")
          long after,
      @Option(
              names = "--latest",
              paramLabel = "N",
              description = "Only the latest, the newest first.")
          @Nullable Integer latest)
      throws Exception {
    return withJob(
        operator,
        output,
        id,
        (waybill, job) -> {
          List<JobLogEntry> entries =
              latest == null
                  ? waybill.jobs().logs(Scope.admin(), id, after, MOST)
                  : waybill.jobs().latestLogs(Scope.admin(), id, Long.MAX_VALUE, latest);
          output.show(
              JobText.logs(entries),
              Map.of("logs", entries.stream().map(JobText::document).toList()));
          return ExitCode.FINE;
        });
  }

  @Command(
      name = "enqueue",
      description = "Enqueue one of a type that is defined.",
      mixinStandardHelpOptions = true)
  int enqueue(
      @Mixin Operator operator,
      @Mixin Output output,
      @Parameters(paramLabel = "TYPE", description = "What to run.") String type,
      @Option(
              names = "--payload",
              paramLabel = "JSON",
              defaultValue = "{}",
              description = "For the handler (${DEFAULT-VALUE}).")
          String payload,
      @Option(names = "--key", paramLabel = "KEY", description = "An idempotency key.")
          @Nullable String key,
      @Option(names = "--tenant", paramLabel = "TENANT", description = "Whose it is.")
          @Nullable String tenant,
      @Option(
              names = "--delay",
              paramLabel = "DURATION",
              description = "Not before, for example PT15M.")
          @Nullable Duration delay)
      throws Exception {
    JobRequest.Builder request = JobRequest.of(type).payload(payload);
    if (tenant != null) {
      request.scope(Scope.tenant(tenant));
    }
    if (key != null) {
      request.idempotencyKey(key);
    }
    if (delay != null) {
      request.delay(delay);
    }
    return operator.withWaybill(
        waybill -> {
          Enqueued enqueued = waybill.jobs().enqueue(request.build());
          output.show(
              (enqueued.outcome() == Enqueued.Outcome.EXISTING ? "It was there already: " : "")
                  + enqueued.id(),
              Map.of(
                  "id", enqueued.id(),
                  "status", JobText.lower(enqueued.status()),
                  "outcome", JobText.lower(enqueued.outcome())));
          return ExitCode.FINE;
        });
  }

  @Command(
      name = "cancel",
      description = "Cancel one that waits or runs; a handler that runs is asked to stop.",
      mixinStandardHelpOptions = true)
  int cancel(
      @Mixin Operator operator,
      @Mixin Output output,
      @Mixin Confirmation confirmation,
      @Parameters(paramLabel = "ID", description = "From the list.") UUID id,
      @Option(names = "--reason", required = true, description = "For the record.") String reason)
      throws Exception {
    return withJob(
        operator,
        output,
        id,
        (waybill, job) ->
            confirmation.before(
                output,
                "cancel " + describe(job),
                () -> {
                  JobInfo canceled = waybill.jobs().cancel(job.scope(), id, reason);
                  output.show("Canceled.", JobText.document(canceled));
                  return ExitCode.FINE;
                }));
  }

  @Command(
      name = "requeue",
      description = "Run one again that was canceled or is a dead letter.",
      mixinStandardHelpOptions = true)
  int requeue(
      @Mixin Operator operator,
      @Mixin Output output,
      @Mixin Confirmation confirmation,
      @Parameters(paramLabel = "ID", description = "From the list.") UUID id,
      @Option(names = "--reason", required = true, description = "For the record.") String reason,
      @Option(names = "--from-scratch", description = "Without its progress and checkpoint.")
          boolean fromScratch)
      throws Exception {
    return withJob(
        operator,
        output,
        id,
        (waybill, job) -> {
          Requeue order = Requeue.of(job, reason);
          return confirmation.before(
              output,
              "requeue " + describe(job),
              () -> requeue(waybill, output, fromScratch ? order.fromScratch() : order));
        });
  }

  private static int requeue(Waybill waybill, Output output, Requeue order) {
    Requeue.Outcome outcome = waybill.jobs().requeue(order);
    if (outcome instanceof Requeue.Outcome.Requeued requeued) {
      output.show(
          "Requeued: run " + requeued.run() + ".", Map.of("id", order.id(), "run", requeued.run()));
      return ExitCode.FINE;
    }
    return output.complain("it was not requeued: " + outcome + ".");
  }

  private static String describe(JobInfo job) {
    return "the " + JobText.lower(job.status()) + " job " + job.id() + " of type " + job.type();
  }

  private interface JobTask {
    int run(Waybill waybill, JobInfo job) throws Exception;
  }

  private static int withJob(Operator operator, Output output, UUID id, JobTask task)
      throws Exception {
    return operator.withWaybill(
        waybill -> {
          Optional<JobInfo> job = waybill.jobs().find(Scope.admin(), id);
          return job.isEmpty()
              ? output.complain("there is no job " + id + ".")
              : task.run(waybill, job.get());
        });
  }
}
