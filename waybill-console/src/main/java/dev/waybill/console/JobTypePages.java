package dev.waybill.console;

import java.util.List;

/** Types of jobs. */
final class JobTypePages {
  private final Sources sources;
  private final Sampler sampler;

  JobTypePages(Sources sources, Sampler sampler) {
    this.sources = sources;
    this.sampler = sampler;
  }

  List<Route> routes() {
    return List.of(
        Route.get("/job-types", "Types of jobs, with capped counts.", List.of(), this::list),
        Route.post(
            "/job-types/{type}/pause",
            "Stops the claiming of a type.",
            List.of(),
            request -> pause(request, true)),
        Route.post(
            "/job-types/{type}/resume",
            "Lets the claiming of a type go on.",
            List.of(),
            request -> pause(request, false)));
  }

  private Doc list(Request request) {
    sources.jobsOrRefuse();
    return Doc.of("types", sampler.current().types().stream().map(Overview::type).toList())
        .put("countedUpTo", Sample.MOST_COUNTED);
  }

  private Doc pause(Request request, boolean paused) {
    String type = request.name("type");
    sources.jobsOrRefuse().setPaused(type, paused);
    Audit.done(request.who(), paused ? "pause job type" : "resume job type", type, 1);
    return Doc.of("type", type).put("paused", paused);
  }
}
