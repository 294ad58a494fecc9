package dev.waybill.console;

import dev.waybill.console.Redactor.Kind;
import dev.waybill.console.Redactor.Place;
import dev.waybill.outbox.OutboxException;
import dev.waybill.outbox.OutboxMessage;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What may be seen of what messages, jobs and workflows carry: nothing, unless it was allowed. */
final class Payloads {
  private static final Logger log = LoggerFactory.getLogger(Payloads.class);

  /** Enough for people; the rest stays where it is. */
  private static final int LONGEST = 20_000;

  private final Optional<Redactor> redactor;

  Payloads(Optional<Redactor> redactor) {
    this.redactor = redactor;
  }

  boolean areShown() {
    return redactor.isPresent();
  }

  /** What a message carries, if it may be seen. */
  void addContent(Doc doc, OutboxMessage message) {
    if (!areShown()) {
      return;
    }
    String type = message.type();
    doc.put("payload", shown(Kind.MESSAGE_PAYLOAD, type, text(message)));
    Doc headers = new Doc();
    message
        .headers()
        .forEach((name, value) -> headers.put(name, shown(Kind.MESSAGE_HEADER, type, name, value)));
    doc.put("headers", headers);
  }

  private static String text(OutboxMessage message) {
    try {
      return message.text();
    } catch (OutboxException.NotText binary) {
      return message.payload().length + " bytes that are not text";
    }
  }

  @Nullable String shown(Kind kind, String type, @Nullable String text) {
    return shown(kind, type, "", text);
  }

  @Nullable String shown(Kind kind, String type, String name, @Nullable String text) {
    if (text == null || redactor.isEmpty()) {
      return null;
    }
    try {
      String shown = redactor.get().redact(new Place(kind, type, name), text);
      return shown.length() > LONGEST ? shown.substring(0, LONGEST) + "…" : shown;
    } catch (RuntimeException e) {
      log.warn("The redactor failed, so a text of kind {} stays hidden", kind, e);
      return null;
    }
  }
}
