package dev.waybill.cli;

import dev.waybill.outbox.OutboxException;
import dev.waybill.outbox.OutboxMessage;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Messages for people and for programs. */
final class MessageText {
  private MessageText() {}

  static String table(List<OutboxMessage> messages, boolean payloads) {
    Table table =
        new Table("message", "type", "enqueued", "attempts", "bytes", payloads ? "payload" : "");
    for (OutboxMessage message : messages) {
      table.row(
          place(message),
          message.type(),
          message.createdAt(),
          message.attempts(),
          message.payload().length,
          payloads ? payload(message) : "");
    }
    return table.text();
  }

  static Map<String, Object> document(OutboxMessage message, boolean payload) {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("queue", message.queue());
    document.put("partition", message.partition());
    document.put("seq", message.seq());
    document.put("message_id", message.id());
    document.put("type", message.type());
    document.put("enqueued_at", message.createdAt().toString());
    document.put("attempts", message.attempts());
    document.put("bytes", message.payload().length);
    if (payload) {
      addContent(document, message);
    }
    return document;
  }

  static void addContent(Map<String, Object> document, OutboxMessage message) {
    String key = message.key();
    if (key != null) {
      document.put("key", key);
    }
    document.put("headers", message.headers());
    document.put("payload_base64", Base64.getEncoder().encodeToString(message.payload()));
  }

  static String place(OutboxMessage message) {
    return message.queue() + "/" + message.partition() + "/" + message.seq();
  }

  static String payload(OutboxMessage message) {
    try {
      return message.text();
    } catch (OutboxException.NotText binary) {
      return message.payload().length + " bytes, not text; --json shows them in Base64";
    }
  }
}
