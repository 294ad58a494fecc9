package dev.waybill.console;

import dev.waybill.console.Redactor.Kind;
import dev.waybill.outbox.OutboxMessage;
import dev.waybill.outbox.QueueStatus;
import java.util.List;

/** Queues and their partitions. */
final class QueuePages {
  private final Sources sources;
  private final Sampler sampler;
  private final Payloads payloads;

  QueuePages(Sources sources, Sampler sampler, Payloads payloads) {
    this.sources = sources;
    this.sampler = sampler;
    this.payloads = payloads;
  }

  List<Route> routes() {
    return List.of(
        Route.get("/queues", "How every queue stands.", List.of(), this::list),
        Route.get("/queues/{queue}", "A queue and its partitions.", List.of(), this::find),
        Route.get(
            "/queues/{queue}/partitions/{partition}/messages",
            "What waits in a partition, in order, beyond the number 'after'. Messages that have no"
                + " number yet, that are delayed or parked are not among them.",
            List.of("after", "limit"),
            this::messages),
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
                .map(queue -> Overview.queue(queue, sample, new Doc()))
                .toList());
  }

  private Doc find(Request request) {
    Sample sample = sampler.current();
    QueueStatus queue =
        sample.queues().stream()
            .filter(each -> each.name().equals(request.name("queue")))
            .findFirst()
            .orElseThrow(() -> Refusal.notFound("queue of this name"));
    return Overview.queue(queue, sample, new Doc()).put("at", sample.at());
  }

  private Doc messages(Request request) {
    int limit = request.limit();
    long after = request.query("after").map(text -> Request.number("after", text)).orElse(0L);
    int partition = (int) Request.number("partition", request.name("partition"));
    List<OutboxMessage> found =
        sources.outbox().peek(request.name("queue"), partition, after, limit);
    return Doc.of("messages", found.stream().map(this::document).toList())
        .put("next", found.size() < limit ? null : found.get(found.size() - 1).seq());
  }

  private Doc document(OutboxMessage message) {
    Doc doc =
        Doc.of("seq", message.seq())
            .put("id", message.id())
            .put("type", message.type())
            .put("createdAt", message.createdAt())
            .put("attempts", message.attempts())
            .put("bytes", message.payload().length)
            .put("key", payloads.shown(Kind.MESSAGE_KEY, message.type(), message.key()));
    payloads.addContent(doc, message);
    return doc;
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
