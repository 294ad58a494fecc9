package dev.waybill.console;

import java.util.UUID;

/** What somebody can look at in particular, live. */
record Subjects(JobPages jobs, WorkflowPages workflows) {
  String json(Sampler.Subject subject) {
    UUID id = UUID.fromString(subject.id());
    return switch (subject.kind()) {
      case "job" -> jobs.detail(id).json();
      case "workflow" -> workflows.detail(id).json();
      default -> throw Refusal.notFound("such subject");
    };
  }
}
