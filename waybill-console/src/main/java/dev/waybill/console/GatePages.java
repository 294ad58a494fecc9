package dev.waybill.console;

import dev.waybill.job.Scope;
import dev.waybill.workflow.WaitingGate;
import java.util.List;
import java.util.Optional;

/** Gates that wait for somebody. */
final class GatePages {
  /** Stands between the two parts of a place in the list; neither has it. */
  private static final String BETWEEN = "_";

  private final Sources sources;

  GatePages(Sources sources) {
    this.sources = sources;
  }

  List<Route> routes() {
    return List.of(
        Route.get(
            "/gates",
            "Gates that wait, those that have waited longest first, found by an index; 'next' goes"
                + " on.",
            List.of("after", "limit"),
            this::list));
  }

  private Doc list(Request request) {
    WaitingGate.Position after = request.query("after").map(GatePages::position).orElse(null);
    int limit = request.limit();
    List<WaitingGate> found =
        sources.workflowsOrRefuse().waitingGates(Scope.admin(), after, limit + 1);
    List<WaitingGate> page = found.subList(0, Math.min(limit, found.size()));
    Optional<WaitingGate> last =
        found.size() > limit ? Optional.of(page.get(limit - 1)) : Optional.empty();
    return Doc.of("gates", page.stream().map(GatePages::document).toList())
        .put("next", last.map(gate -> gate.since() + BETWEEN + gate.id()).orElse(null));
  }

  private static WaitingGate.Position position(String text) {
    String[] parts = text.split(BETWEEN, 2);
    if (parts.length < 2) {
      throw Refusal.invalid("after must be what 'next' said.");
    }
    return new WaitingGate.Position(Request.time("after", parts[0]), Request.uuid(parts[1]));
  }

  private static Doc document(WaitingGate gate) {
    return Doc.of("workflow", gate.run().toString())
        .put("type", gate.type())
        .put("tenant", gate.scope() instanceof Scope.Tenant tenant ? tenant.id() : null)
        .put("step", gate.step())
        .put("since", gate.since())
        .put("timerAt", gate.timerAt());
  }
}
