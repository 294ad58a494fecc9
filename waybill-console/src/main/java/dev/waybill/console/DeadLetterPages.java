package dev.waybill.console;

import dev.waybill.console.Redactor.Kind;
import dev.waybill.outbox.DeadLetter;
import dev.waybill.outbox.DeadLetterFilter;
import dev.waybill.outbox.DeadLetterStatus;
import dev.waybill.outbox.DeadLetters;
import dev.waybill.outbox.OutboxMessage;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/** Messages that were given up. */
final class DeadLetterPages {
  /** What one call concerns at most; the page calls again until nothing is left. */
  static final int MOST_AT_ONCE = 1_000;

  static final List<String> FILTER =
      List.of("queue", "partition", "type", "failedAfter", "failedBefore");

  private final DeadLetters deadLetters;
  private final Payloads payloads;

  DeadLetterPages(Sources sources, Payloads payloads) {
    this.deadLetters = sources.outbox().deadLetters();
    this.payloads = payloads;
  }

  List<Route> routes() {
    List<String> listing = new ArrayList<>(FILTER);
    listing.addAll(List.of("status", "beforeTime", "beforeId", "limit"));
    List<String> changing = new ArrayList<>(FILTER);
    changing.addAll(List.of("ids", "limit"));
    return List.of(
        Route.get("/dead-letters", "Dead letters, the latest failure first.", listing, this::list),
        Route.get("/dead-letters/{id}", "A dead letter.", List.of(), this::find),
        Route.post(
            "/dead-letters/requeue",
            "Makes them messages again: all of 'ids', or those that meet the filter.",
            changing,
            request -> change(request, "requeue dead letters", deadLetters::requeue)),
        Route.post(
            "/dead-letters/discard",
            "Gives them up for good: all of 'ids', or those that meet the filter.",
            changing,
            request -> change(request, "discard dead letters", deadLetters::discard)));
  }

  private Doc list(Request request) {
    int limit = request.limit();
    DeadLetterFilter filter = filter(request::query).limit(limit + 1);
    Optional<String> status = request.query("status");
    if (status.isPresent()) {
      filter =
          status.get().equals("ANY")
              ? filter.anyStatus()
              : filter.status(Request.word(DeadLetterStatus.class, status.get()));
    }
    Optional<String> beforeId = request.query("beforeId");
    Optional<String> beforeTime = request.query("beforeTime");
    if (beforeId.isPresent() && beforeTime.isPresent()) {
      filter =
          after(
              filter,
              Request.time("beforeTime", beforeTime.get()),
              Request.number("beforeId", beforeId.get()));
    }
    List<DeadLetter> found = deadLetters.list(filter);
    boolean more = found.size() > limit;
    return Doc.of("more", more)
        .put(
            "deadLetters", found.stream().limit(limit).map(each -> document(each, false)).toList());
  }

  private static DeadLetterFilter after(DeadLetterFilter filter, Instant failedAt, long id) {
    return new DeadLetterFilter(
        filter.queue(),
        filter.partition(),
        filter.type(),
        filter.statuses(),
        filter.ids(),
        filter.failedAfter(),
        filter.failedBefore(),
        new DeadLetterFilter.Position(failedAt, id),
        filter.most());
  }

  private Doc find(Request request) {
    long id = Request.number("id", request.name("id"));
    List<DeadLetter> found =
        deadLetters.list(DeadLetterFilter.defaults().ids(List.of(id)).anyStatus());
    if (found.isEmpty()) {
      throw Refusal.notFound("dead letter " + id);
    }
    return document(found.get(0), true);
  }

  private static DeadLetterFilter filter(Function<String, Optional<String>> given) {
    DeadLetterFilter filter = DeadLetterFilter.defaults();
    Optional<String> queue = given.apply("queue");
    Optional<String> partition = given.apply("partition");
    if (partition.isPresent()) {
      filter =
          filter.partition(
              queue.orElseThrow(() -> Refusal.invalid("A partition needs its queue.")),
              (int) Request.number("partition", partition.get()));
    } else if (queue.isPresent()) {
      filter = filter.queue(queue.get());
    }
    Optional<String> type = given.apply("type");
    filter = type.isPresent() ? filter.type(type.get()) : filter;
    Optional<String> after = given.apply("failedAfter");
    filter =
        after.isPresent() ? filter.failedAfter(Request.time("failedAfter", after.get())) : filter;
    Optional<String> before = given.apply("failedBefore");
    return before.isPresent()
        ? filter.failedBefore(Request.time("failedBefore", before.get()))
        : filter;
  }

  private Doc change(Request request, String what, ToIntFunction<DeadLetterFilter> action) {
    DeadLetterFilter chosen = chosen(request, MOST_AT_ONCE);
    int changed = action.applyAsInt(chosen);
    Audit.done(request.who(), what, subject(request), changed);
    return Doc.of("changed", changed)
        .put("more", chosen.ids() == null && changed == chosen.limit());
  }

  /** What a body says: ids, or a filter; never more than that many. */
  static DeadLetterFilter chosen(Request request, int atMost) {
    DeadLetterFilter filter =
        filter(name -> Optional.ofNullable(request.body().get(name)).map(Object::toString));
    Object ids = request.body().get("ids");
    Object limit = request.body().get("limit");
    long most = limit instanceof Long wanted ? Math.max(1, Math.min(wanted, atMost)) : atMost;
    return (ids == null ? filter : filter.ids(ids(ids))).limit((int) most);
  }

  /** For the record, without the secret of a claim. */
  static Map<String, ?> subject(Request request) {
    Map<String, @Nullable Object> said = new TreeMap<>(request.body());
    said.remove("token");
    return said;
  }

  static List<Long> ids(Object given) {
    List<Long> ids = new ArrayList<>();
    if (given instanceof List<?> list && list.size() <= MOST_AT_ONCE) {
      for (Object each : list) {
        if (!(each instanceof Long id)) {
          throw Refusal.invalid("ids must be numbers.");
        }
        ids.add(id);
      }
      return ids;
    }
    throw Refusal.invalid("ids must be a list of at most " + MOST_AT_ONCE + " numbers.");
  }

  Doc document(DeadLetter letter, boolean whole) {
    OutboxMessage message = letter.message();
    String type = message.type();
    Doc doc =
        Doc.of("id", letter.id())
            .put("queue", message.queue())
            .put("partition", message.partition())
            .put("seq", message.seq())
            .put("messageId", message.id())
            .put("type", type)
            .put("attempts", message.attempts())
            .put("status", letter.status())
            .put("createdAt", message.createdAt())
            .put("failedAt", letter.failedAt())
            .put("lastError", letter.lastError())
            .put("deadline", letter.deadline())
            .put("completedAt", letter.completedAt())
            .put("key", payloads.shown(Kind.MESSAGE_KEY, type, message.key()));
    if (whole && payloads.areShown()) {
      payloads.addContent(doc, message);
    }
    return doc;
  }
}
