package dev.waybill.console;

import dev.waybill.console.Redactor.Kind;
import dev.waybill.job.JobAttempt;
import dev.waybill.job.JobEvent;
import dev.waybill.job.JobFilter;
import dev.waybill.job.JobInfo;
import dev.waybill.job.JobLogEntry;
import dev.waybill.job.JobStatus;
import dev.waybill.job.Jobs;
import dev.waybill.job.Replay;
import dev.waybill.job.Requeue;
import dev.waybill.job.Scope;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Jobs and their types. */
final class JobPages {
  /** How many jobs a filtered list looks at before it asks whether to go on. */
  private static final int LOOK_BACK = 2_000;

  private static final int PAGE = 500;
  private static final int MOST_LINES = 500;
  private static final int MOST_REQUEUED = 200;
  private static final List<String> FILTER = List.of("type", "status", "errorCode", "tenant");

  private final Sources sources;
  private final Payloads payloads;

  JobPages(Sources sources, Payloads payloads) {
    this.sources = sources;
    this.payloads = payloads;
  }

  List<Route> routes() {
    List<String> listing = new ArrayList<>(FILTER);
    listing.addAll(List.of("after", "limit"));
    List<String> requeueing = new ArrayList<>(FILTER);
    requeueing.addAll(List.of("after", "reason"));
    return List.of(
        Route.get(
            "/jobs",
            "Jobs, newest first. A status is found by its index, whatever their age: those that have"
                + " ended by their end, the latest first, scheduled ones by when they are due, pending"
                + " ones by type, tenant and turn. Another filter looks at "
                + LOOK_BACK
                + " of these; 'next' goes on.",
            listing,
            this::list),
        Route.get(
            "/jobs/{id}",
            "A job with its attempts, events and log, its newest line first.",
            List.of(),
            request -> detail(request.id("id"))),
        Route.post("/jobs/{id}/cancel", "Cancels a job.", List.of("reason"), this::cancel),
        Route.post(
            "/jobs/{id}/requeue",
            "Runs a canceled or dead-lettered job again.",
            List.of("reason", "fromScratch"),
            this::requeue),
        Route.post(
            "/jobs/{id}/replay",
            "Runs a succeeded job once more as a new one.",
            List.of("reason", "key"),
            this::replay),
        Route.post(
            "/jobs/requeue",
            "Runs dead-lettered or canceled jobs that meet the filter again, up to "
                + MOST_REQUEUED
                + " at a time; if there are more, call again with 'next' as 'after'.",
            requeueing,
            this::requeueAll));
  }

  /** What was found, how many were looked at, and where to go on. */
  private record Found(List<JobInfo> jobs, int lookedAt, Optional<UUID> next) {}

  private Doc list(Request request) {
    Found found = find(request.queryId("after"), Wanted.by(request::query), request.limit());
    return Doc.of("jobs", found.jobs().stream().map(JobPages::document).toList())
        .put("lookedAt", found.lookedAt())
        .put("next", found.next().map(UUID::toString).orElse(null));
  }

  private interface Given {
    Optional<String> get(String name);
  }

  /**
   * Which jobs somebody wants.
   *
   * @param asked what an index answers
   * @param picked what is left to look at, job by job; null if nothing is
   */
  private record Wanted(JobFilter asked, @Nullable Predicate<JobInfo> picked) {
    static Wanted by(Given given) {
      Wanted wanted = new Wanted(JobFilter.of(Scope.admin()), null);
      Optional<JobStatus> status =
          given.get("status").map(text -> Request.word(JobStatus.class, text));
      if (status.isPresent()) {
        wanted = new Wanted(wanted.asked().withStatus(status.get()), null);
      }
      Optional<String> type = given.get("type");
      if (type.isPresent()) {
        wanted =
            status.equals(Optional.of(JobStatus.PENDING))
                ? new Wanted(wanted.asked().withType(type.get()), null)
                : wanted.and(job -> job.type().equals(type.get()));
      }
      Optional<String> code = given.get("errorCode");
      if (code.isPresent()) {
        wanted = wanted.and(job -> code.get().equals(job.errorCode()));
      }
      Optional<Scope> tenant = given.get("tenant").map(Scope::tenant);
      return tenant.isPresent() ? wanted.and(job -> tenant.get().equals(job.scope())) : wanted;
    }

    Wanted and(Predicate<JobInfo> more) {
      return new Wanted(asked, picked == null ? more : picked.and(more));
    }
  }

  /**
   * Reads pages by an index and picks from them: a database that had to find a rare type among
   * millions would read them all, and here it never reads more than {@link #LOOK_BACK} rows.
   */
  private Found find(Optional<UUID> after, Wanted wanted, int limit) {
    Predicate<JobInfo> picked = wanted.picked();
    int size = picked == null ? limit : PAGE;
    JobFilter asked = wanted.asked().withLimit(size);
    List<JobInfo> found = new ArrayList<>();
    Optional<UUID> last = after;
    int lookedAt = 0;
    while (lookedAt < LOOK_BACK) {
      List<JobInfo> page =
          sources.jobsOrRefuse().list(last.isPresent() ? asked.withAfter(last.get()) : asked);
      for (JobInfo job : page) {
        lookedAt++;
        last = Optional.of(job.id());
        if (picked == null || picked.test(job)) {
          found.add(job);
          if (found.size() == limit) {
            return new Found(found, lookedAt, last);
          }
        }
      }
      if (page.size() < size) {
        return new Found(found, lookedAt, Optional.empty());
      }
    }
    return new Found(found, lookedAt, last);
  }

  /** Everything about a job that its page shows. */
  Doc detail(UUID id) {
    Jobs jobs = sources.jobsOrRefuse();
    JobInfo job = seen(jobs, id);
    Doc doc = document(job);
    doc.put("attempts", jobs.attempts(Scope.admin(), id).stream().map(JobPages::attempt).toList())
        .put(
            "events",
            jobs.events(Scope.admin(), id, 0, MOST_LINES).stream().map(JobPages::event).toList())
        .put(
            "log",
            jobs.latestLogs(Scope.admin(), id, Long.MAX_VALUE, MOST_LINES).stream()
                .map(JobPages::line)
                .toList());
    if (payloads.areShown()) {
      jobs.body(Scope.admin(), id)
          .ifPresent(
              body ->
                  doc.put("payload", payloads.shown(Kind.JOB_PAYLOAD, job.type(), body.payload()))
                      .put(
                          "checkpoint",
                          payloads.shown(Kind.JOB_CHECKPOINT, job.type(), body.checkpoint()))
                      .put("output", payloads.shown(Kind.JOB_OUTPUT, job.type(), body.output())));
    }
    return doc;
  }

  private static JobInfo seen(Jobs jobs, UUID id) {
    return jobs.find(Scope.admin(), id).orElseThrow(() -> Refusal.notFound("job " + id));
  }

  private Doc cancel(Request request) {
    JobInfo job = sources.jobsOrRefuse().cancel(Scope.admin(), request.id("id"), request.reason());
    Audit.done(request.who(), "cancel job", job.id(), 1);
    return document(job);
  }

  private Doc requeue(Request request) {
    Jobs jobs = sources.jobsOrRefuse();
    JobInfo job = seen(jobs, request.id("id"));
    Requeue order = Requeue.of(job, request.reason());
    if (Boolean.TRUE.equals(request.body().get("fromScratch"))) {
      order = order.fromScratch();
    }
    Requeue.Outcome outcome = jobs.requeue(order);
    if (outcome instanceof Requeue.Outcome.NotQuiesced busy) {
      throw new Refusal(
          409,
          "job.cancellation_not_quiesced",
          "Its handler may still be at it until " + busy.retryAfter() + ".");
    }
    if (outcome instanceof Requeue.Outcome.Occupied occupied) {
      throw new Refusal(
          409,
          "job.key_occupied",
          "Its key is unique while active, and job " + occupied.by() + " has it now.");
    }
    if (!(outcome instanceof Requeue.Outcome.Requeued done)) {
      throw new Refusal(409, "job.changed", "The job has changed meanwhile; look again.");
    }
    Audit.done(request.who(), "requeue job", job.id(), 1);
    return Doc.of("id", job.id()).put("run", done.run());
  }

  private Doc replay(Request request) {
    Jobs jobs = sources.jobsOrRefuse();
    JobInfo job = seen(jobs, request.id("id"));
    String key = request.text("key").orElseGet(() -> "console-" + UUID.randomUUID());
    Replay.Outcome outcome =
        jobs.replay(new Replay(Scope.admin(), job.id(), job.run(), key, request.reason()));
    if (!(outcome instanceof Replay.Outcome.Replayed done)) {
      throw new Refusal(409, "job.changed", "Only a job that succeeded is replayed; look again.");
    }
    Audit.done(request.who(), "replay job", job.id(), 1);
    return Doc.of("id", done.job().id());
  }

  private Doc requeueAll(Request request) {
    Jobs jobs = sources.jobsOrRefuse();
    JobStatus status =
        Request.word(JobStatus.class, request.text("status").orElse("DEAD_LETTERED"));
    if (status != JobStatus.DEAD_LETTERED && status != JobStatus.CANCELED) {
      throw Refusal.invalid("Only dead-lettered and canceled jobs are requeued.");
    }
    Wanted matching =
        Wanted.by(name -> name.equals("status") ? Optional.of(status.name()) : request.text(name))
            .and(job -> job.workflow() == null);
    Optional<UUID> after = request.text("after").map(Request::uuid);
    Found found = find(after, matching, MOST_REQUEUED);
    Set<UUID> requeued = new HashSet<>();
    for (JobInfo job : found.jobs()) {
      if (jobs.requeue(Requeue.of(job, request.reason())) instanceof Requeue.Outcome.Requeued) {
        requeued.add(job.id());
      }
    }
    Audit.done(request.who(), "requeue jobs", request.body(), requeued.size());
    boolean more = found.next().isPresent();
    // What runs again has no place among those that ended, so it is none to go on from.
    Optional<UUID> next = found.next().filter(id -> !requeued.contains(id)).or(() -> after);
    return Doc.of("changed", requeued.size())
        .put("lookedAt", found.lookedAt())
        .put("more", more)
        .put("next", more ? next.map(UUID::toString).orElse(null) : null);
  }

  static Doc document(JobInfo job) {
    return Doc.of("id", job.id().toString())
        .put("type", job.type())
        .put("tenant", job.scope() instanceof Scope.Tenant tenant ? tenant.id() : null)
        .put("status", job.status())
        .put("run", job.run())
        .put("attempt", job.attempt())
        .put("maxAttempts", job.maxAttempts())
        .put("timeout", job.timeout())
        .put("priority", job.priority())
        .put("stage", job.stage())
        .put("createdAt", job.createdAt())
        .put("dueAt", job.dueAt())
        .put("startedAt", job.startedAt())
        .put("finishedAt", job.finishedAt())
        .put("worker", job.worker())
        .put("leasedAt", job.leasedAt())
        .put("leaseUntil", job.leaseUntil())
        .put("progressDone", job.progressDone())
        .put("progressTotal", job.progressTotal())
        .put("resourceKey", job.resourceKey())
        .put("reason", job.reason())
        .put("errorCode", job.errorCode())
        .put("errorMessage", job.errorMessage())
        .put("workflow", job.workflow() == null ? null : job.workflow().toString());
  }

  private static Doc attempt(JobAttempt attempt) {
    return Doc.of("run", attempt.run())
        .put("attempt", attempt.attempt())
        .put("worker", attempt.worker())
        .put("leasedAt", attempt.leasedAt())
        .put("finishedAt", attempt.finishedAt())
        .put("outcome", attempt.outcome())
        .put("errorCode", attempt.errorCode())
        .put("errorMessage", attempt.errorMessage())
        .put("nextDueAt", attempt.nextDueAt());
  }

  private static Doc event(JobEvent event) {
    return Doc.of("number", event.number())
        .put("run", event.run())
        .put("attempt", event.attempt())
        .put("kind", event.kind())
        .put("at", event.occurredAt())
        .put("detail", event.detail());
  }

  private static Doc line(JobLogEntry entry) {
    return Doc.of("number", entry.number())
        .put("run", entry.run())
        .put("attempt", entry.attempt())
        .put("level", entry.level())
        .put("at", entry.occurredAt())
        .put("message", entry.message());
  }
}
