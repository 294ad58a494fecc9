package dev.waybill.console;

import dev.waybill.outbox.QueueStatus;
import java.util.List;

/** Queues and their partitions. */
final class QueuePages {
  private final Sources sources;
  private final Sampler sampler;

  QueuePages(Sources sources, Sampler sampler) {
    this.sources = sources;
    this.sampler = sampler;
  }

  List<Route> routes() {
    return List.of(
        Route.get("/queues", "How every queue stands.", List.of(), this::list),
        Route.get("/queues/{queue}", "A queue and its partitions.", List.of(), this::find),
        Route.post(
            "/queues/{queue}/pause",
            "Stops the delivery of a queue, or of one partition.",
            List.of("partition"),
            request -> change(request, true)),
        Route.post(
            "/queues/{queue}/resume",
            "Lets the delivery go on.",
            List.of("partition"),
            request -> change(request, false)));
  }

  private Doc list(Request request) {
    Sample sample = sampler.current();
    return Doc.of("at", sample.at())
        .put(
            "queues",
            sample.queues().stream()
                .map(queue -> Overview.queue(queue, sample.at(), new Doc()))
                .toList());
  }

  private Doc find(Request request) {
    Sample sample = sampler.current();
    QueueStatus queue =
        sample.queues().stream()
            .filter(each -> each.name().equals(request.name("queue")))
            .findFirst()
            .orElseThrow(() -> Refusal.notFound("queue of this name"));
    return Overview.queue(queue, sample.at(), new Doc()).put("at", sample.at());
  }

  private Doc change(Request request, boolean pause) {
    String queue = request.name("queue");
    Object given = request.body().get("partition");
    if (given == null) {
      if (pause) {
        sources.outbox().pause(queue);
      } else {
        sources.outbox().resume(queue);
      }
    } else if (given instanceof Long number && number >= 0 && number < 64) {
      int partition = number.intValue();
      if (pause) {
        sources.outbox().pause(queue, partition);
      } else {
        sources.outbox().resume(queue, partition);
      }
    } else {
      throw Refusal.invalid("partition must be a number from 0 to 63.");
    }
    String what = given == null ? queue : queue + "/" + given;
    Audit.done(request.who(), pause ? "pause queue" : "resume queue", what, 1);
    return Doc.of("queue", queue).put("partition", given).put("paused", pause);
  }
}
