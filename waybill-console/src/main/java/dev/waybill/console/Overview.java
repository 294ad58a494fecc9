package dev.waybill.console;

import dev.waybill.job.JobStatus;
import dev.waybill.outbox.PartitionStatus;
import dev.waybill.outbox.QueueStatus;
import dev.waybill.workflow.WorkflowStatus;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** A sample as a document. */
final class Overview {
  private Overview() {}

  static Doc document(Sample sample, History history, Doc point) {
    return Doc.of("at", sample.at())
        .put("point", point)
        .put("attention", Attention.of(sample).stream().map(Attention.Item::document).toList())
        .put(
            "queues",
            sample.queues().stream()
                .map(queue -> queue(queue, sample, history.rates(queue.name())))
                .toList())
        .put("deadLetters", Math.min(sample.deadLetters().size(), Sample.MOST_DEAD_LETTERS))
        .put("moreDeadLetters", sample.deadLetters().size() > Sample.MOST_DEAD_LETTERS)
        .put("jobTypes", sample.types().stream().map(Overview::type).toList())
        .put("runs", runs(sample))
        .put("runsSeen", sample.runs().size());
  }

  static Doc queue(QueueStatus queue, Sample sample, Doc rates) {
    return Doc.of("name", queue.name())
        .put("lag", queue.lag())
        .put("parked", queue.parked())
        .put("waiting", queue.waiting().orElse(null))
        .put("rates", rates)
        .put("delivery", Pace.document(sample.recent(queue.name())))
        .put("partitions", partitions(queue.partitions(), sample.at()));
  }

  private static List<Doc> partitions(List<PartitionStatus> partitions, Instant at) {
    return partitions.stream()
        .map(
            partition ->
                States.of(partition, at)
                    .put("number", partition.number())
                    .put("sequence", partition.sequence())
                    .put("processed", partition.processed())
                    .put("lag", partition.lag())
                    .put("attempts", partition.attempts())
                    .put("lastError", partition.lastError())
                    .put("parked", partition.parked())
                    .put("paused", partition.paused())
                    .put("leaseOwner", partition.leaseOwner())
                    .put("leaseEpoch", partition.leaseEpoch())
                    .put("waiting", partition.waiting()))
        .toList();
  }

  static Doc type(Sample.JobType type) {
    Doc counts = new Doc();
    for (JobStatus status : JobStatus.values()) {
      counts.put(status.name(), type.counts().get(status));
    }
    var definition = type.definition();
    var rate = definition.rate();
    return Doc.of("type", definition.type())
        .put("enabled", definition.enabled())
        .put("paused", type.paused())
        .put("maxAttempts", definition.maxAttempts())
        .put("timeout", definition.timeout())
        .put("priority", definition.priority())
        .put("maxRunning", definition.maxRunning())
        .put("rate", rate == null ? null : rate.count() + " in " + States.brief(rate.period()))
        .put("counts", counts);
  }

  private static Doc runs(Sample sample) {
    Map<WorkflowStatus, Long> counts = new EnumMap<>(WorkflowStatus.class);
    sample.runs().forEach(run -> counts.merge(run.status(), 1L, Long::sum));
    Doc doc = new Doc();
    counts.forEach((status, count) -> doc.put(status.name(), count));
    return doc;
  }
}
