package dev.waybill.console;

import dev.waybill.job.ScheduleFire;
import dev.waybill.job.ScheduleInfo;
import dev.waybill.job.Schedules;
import dev.waybill.job.Scope;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** Jobs that come back. */
final class SchedulePages {
  private static final int NEXT = 5;
  private static final int FIRES = 20;

  private final Sources sources;
  private final Sampler sampler;

  SchedulePages(Sources sources, Sampler sampler) {
    this.sources = sources;
    this.sampler = sampler;
  }

  List<Route> routes() {
    return List.of(
        Route.get("/schedules", "Schedules with their next times.", List.of(), this::list),
        Route.get(
            "/schedules/{name}",
            "A schedule and what became of its latest times.",
            List.of(),
            this::find),
        Route.post(
            "/schedules/{name}/pause",
            "Pauses a schedule.",
            List.of(),
            request -> activate(request, false)),
        Route.post(
            "/schedules/{name}/resume",
            "Resumes a schedule.",
            List.of(),
            request -> activate(request, true)),
        Route.post(
            "/schedules/{name}/trigger",
            "Enqueues its job now, besides its times.",
            List.of(),
            this::trigger));
  }

  private Schedules schedules() {
    return sources.jobsOrRefuse().schedules();
  }

  private Doc list(Request request) {
    Schedules schedules = schedules();
    return Doc.of(
        "schedules",
        sampler.current().schedules().stream().map(info -> document(schedules, info)).toList());
  }

  private Doc find(Request request) {
    Schedules schedules = schedules();
    String name = request.name("name");
    ScheduleInfo info =
        schedules.find(name).orElseThrow(() -> Refusal.notFound("schedule of this name"));
    return document(schedules, info)
        .put("fires", schedules.fires(name, FIRES).stream().map(SchedulePages::fire).toList());
  }

  private Doc activate(Request request, boolean active) {
    String name = request.name("name");
    schedules().setActive(name, active);
    Audit.done(request.who(), active ? "resume schedule" : "pause schedule", name, 1);
    return Doc.of("name", name).put("active", active);
  }

  private Doc trigger(Request request) {
    String name = request.name("name");
    var enqueued = schedules().trigger(name);
    Audit.done(request.who(), "trigger schedule", name, 1);
    return Doc.of("name", name).put("job", enqueued.id().toString());
  }

  private static Doc document(Schedules schedules, ScheduleInfo info) {
    var schedule = info.schedule();
    List<String> next =
        info.active()
            ? schedules
                .preview(schedule, info.scheduledFor().minus(Duration.ofMillis(1)), NEXT)
                .stream()
                .map(Instant::toString)
                .toList()
            : List.of();
    return Doc.of("name", schedule.name())
        .put("type", schedule.type())
        .put("tenant", schedule.scope() instanceof Scope.Tenant tenant ? tenant.id() : null)
        .put("rule", schedule.rule())
        .put("zone", schedule.zone().getId())
        .put("jitter", schedule.jitter())
        .put("misfire", schedule.misfire())
        .put("overlap", schedule.overlap())
        .put("active", info.active())
        .put("nextFireAt", info.active() ? info.nextFireAt() : null)
        .put("next", next)
        .put("lastFiredAt", info.lastFiredAt())
        .put("lastJob", info.lastJob() == null ? null : info.lastJob().toString())
        .put("failures", info.failures())
        .put("lastError", info.lastError());
  }

  private static Doc fire(ScheduleFire fire) {
    return Doc.of("scheduledFor", fire.scheduledFor())
        .put("firedAt", fire.firedAt())
        .put("outcome", fire.outcome())
        .put("job", fire.job() == null ? null : fire.job().toString());
  }
}
