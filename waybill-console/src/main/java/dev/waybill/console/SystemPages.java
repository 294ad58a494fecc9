package dev.waybill.console;

import dev.waybill.outbox.OutboxStatistics;
import dev.waybill.schema.SchemaIncompatibleException;
import dev.waybill.schema.SchemaStatus;
import java.util.List;

/** The schema, and whether this process gets on. */
final class SystemPages {
  private final Sources sources;

  SystemPages(Sources sources) {
    this.sources = sources;
  }

  List<Route> routes() {
    return List.of(
        Route.get(
            "/health", "Whether the workers of this process get on.", List.of(), this::health),
        Route.get("/schema", "The migrations and the guard's verdict.", List.of(), this::schema));
  }

  private Doc health(Request request) {
    var health = sources.waybill().health();
    OutboxStatistics statistics = sources.outbox().statistics();
    return Doc.of("healthy", health.isHealthy())
        .put("failing", health.failing())
        .put(
            "statistics",
            Doc.of("enqueued", statistics.enqueued())
                .put("sequenced", statistics.sequenced())
                .put("delivered", statistics.delivered())
                .put("retried", statistics.retried())
                .put("parked", statistics.parked())
                .put("rejected", statistics.rejected())
                .put("leasesLost", statistics.leasesLost())
                .put("vacuumed", statistics.vacuumed()));
  }

  private Doc schema(Request request) {
    SchemaStatus status = sources.waybill().schemaStatus();
    return Doc.of("database", status.database())
        .put("verdict", status.verdict().map(SchemaIncompatibleException::verdict).orElse("fine"))
        .put("message", status.verdict().map(Throwable::getMessage).orElse(null))
        .put("migrations", status.migrations().stream().map(SystemPages::migration).toList());
  }

  private static Doc migration(SchemaStatus.Migration migration) {
    return Doc.of("version", migration.version())
        .put("description", migration.description())
        .put("state", migration.state())
        .put("appliedAt", migration.appliedAt())
        .put("duration", migration.duration())
        .put("appliedBy", migration.appliedBy());
  }
}
