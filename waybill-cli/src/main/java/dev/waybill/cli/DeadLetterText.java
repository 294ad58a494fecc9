package dev.waybill.cli;

import dev.waybill.outbox.DeadLetter;
import dev.waybill.outbox.DeadLetterClaim;
import dev.waybill.outbox.OutboxMessage;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Dead letters for people and for programs. */
final class DeadLetterText {
  private DeadLetterText() {}

  static String table(List<DeadLetter> list, long all) {
    if (list.isEmpty()) {
      return "There are none.";
    }
    List<String> lines = new ArrayList<>();
    lines.add(
        String.format(
            Locale.ROOT,
            "%8s  %-24s  %-28s  %-13s %s",
            "id",
            "failed",
            "message",
            "status",
            "why"));
    for (DeadLetter each : list) {
      lines.add(
          String.format(
              Locale.ROOT,
              "%8d  %-24s  %-28s  %-13s %s",
              each.id(),
              each.failedAt().toString(),
              Visible.line(MessageText.place(each.message())),
              each.status().name().toLowerCase(Locale.ROOT),
              Visible.line(each.lastError())));
    }
    if (all > list.size()) {
      lines.add(all - list.size() + " more: --limit, or narrower filters.");
    }
    return String.join(System.lineSeparator(), lines);
  }

  static String whole(DeadLetter letter) {
    OutboxMessage message = letter.message();
    List<String> lines = new ArrayList<>();
    lines.add(
        "Dead letter " + letter.id() + ", " + letter.status().name().toLowerCase(Locale.ROOT));
    lines.add(
        "message    "
            + Visible.line(
                MessageText.place(message) + ", id " + message.id() + ", type " + message.type()));
    lines.add("enqueued   " + message.createdAt());
    lines.add("failed     " + letter.failedAt() + " after " + message.attempts() + " attempts");
    lines.add("why        " + Visible.line(letter.lastError()));
    String key = message.key();
    if (key != null) {
      lines.add("key        " + Visible.line(key));
    }
    message
        .headers()
        .forEach((name, value) -> lines.add("header     " + Visible.line(name + ": " + value)));
    lines.add("payload    " + Visible.block(MessageText.payload(message)));
    return String.join(System.lineSeparator(), lines);
  }

  static String claim(DeadLetterClaim claim) {
    return claim.isEmpty()
        ? "There are none."
        : "Claimed " + claim.ids() + " with the token " + claim.token() + ".";
  }

  static Map<String, Object> document(DeadLetter letter, boolean whole) {
    OutboxMessage message = letter.message();
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("id", letter.id());
    document.put("queue", message.queue());
    document.put("partition", message.partition());
    document.put("seq", message.seq());
    document.put("message_id", message.id());
    document.put("type", message.type());
    document.put("status", letter.status().name().toLowerCase(Locale.ROOT));
    document.put("enqueued_at", message.createdAt().toString());
    document.put("failed_at", letter.failedAt().toString());
    document.put("attempts", message.attempts());
    document.put("last_error", letter.lastError());
    Instant completed = letter.completedAt();
    if (completed != null) {
      document.put("completed_at", completed.toString());
    }
    if (whole) {
      MessageText.addContent(document, message);
    }
    return document;
  }
}
