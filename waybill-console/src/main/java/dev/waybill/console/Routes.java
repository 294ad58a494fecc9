package dev.waybill.console;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The table of the REST API. */
final class Routes {
  private final List<Route> routes = new ArrayList<>();

  /**
   * A route that fits, with the values of its variables.
   *
   * @param route fits
   * @param names by variable
   */
  record Match(Route route, Map<String, String> names) {}

  Routes(Sources sources, Sampler sampler, Payloads payloads, Subjects subjects, String base) {
    routes.add(
        Route.get("/openapi.json", "This description.", List.of(), request -> describe(base)));
    routes.add(
        Route.get(
            "/overview",
            "What needs attention, and how everything stands.",
            List.of(),
            request -> sampler.overview()));
    routes.addAll(new QueuePages(sources, sampler, payloads).routes());
    DeadLetterPages deadLetters = new DeadLetterPages(sources, payloads);
    routes.addAll(deadLetters.routes());
    routes.addAll(new DeadLetterClaims(sources, deadLetters).routes());
    routes.addAll(subjects.jobs().routes());
    routes.addAll(new JobTypePages(sources, sampler).routes());
    routes.addAll(new SchedulePages(sources, sampler).routes());
    routes.addAll(subjects.workflows().routes());
    routes.addAll(new GatePages(sources).routes());
    routes.addAll(new SystemPages(sources).routes());
  }

  private Doc describe(String base) {
    List<Route> all = new ArrayList<>(routes);
    all.addAll(SignIn.ROUTES);
    return OpenApi.describe(all, base);
  }

  Optional<Match> find(String method, List<String> segments) {
    boolean known = false;
    for (Route route : routes) {
      Optional<Map<String, String>> names = route.match(segments);
      if (names.isPresent()) {
        known = true;
        if (route.method().equals(method)) {
          return Optional.of(new Match(route, names.get()));
        }
      }
    }
    if (known) {
      throw new Refusal(405, "wrong_method", "This cannot be done with " + method + ".");
    }
    return Optional.empty();
  }
}
