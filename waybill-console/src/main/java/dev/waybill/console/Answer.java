package dev.waybill.console;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/** What is sent back, always with headers that keep browsers from doing harm. */
final class Answer {
  private static final String POLICY =
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
          + " connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

  private final Exchange exchange;
  private final Map<String, String> headers = new LinkedHashMap<>();
  private boolean begun;

  Answer(Exchange exchange) {
    this.exchange = exchange;
    header("Content-Security-Policy", POLICY);
    header("X-Content-Type-Options", "nosniff");
    header("X-Frame-Options", "DENY");
    header("Referrer-Policy", "no-referrer");
    header("Cross-Origin-Opener-Policy", "same-origin");
    header("Cross-Origin-Resource-Policy", "same-origin");
    header("Cache-Control", "no-store");
  }

  void header(String name, String value) {
    headers.put(name, value);
  }

  void json(Doc document) throws IOException {
    json(document.json());
  }

  void json(String text) throws IOException {
    send(200, "application/json", text.getBytes(StandardCharsets.UTF_8));
  }

  void moved(String location) throws IOException {
    header("Location", location);
    begin(308, 0).close();
  }

  void refuse(Refusal refusal) throws IOException {
    if (!begun) {
      byte[] text = refusal.document().json().getBytes(StandardCharsets.UTF_8);
      send(refusal.status(), "application/json", text);
    }
  }

  void send(int status, String type, byte[] bytes) throws IOException {
    header("Content-Type", type);
    try (OutputStream out = begin(status, bytes.length)) {
      out.write(bytes);
    }
  }

  /** Server-sent events; each is flushed. */
  OutputStream events() throws IOException {
    header("Content-Type", "text/event-stream; charset=utf-8");
    header("X-Accel-Buffering", "no");
    return begin(200, -1);
  }

  private OutputStream begin(int status, long length) throws IOException {
    begun = true;
    return exchange.answer(status, headers, length);
  }
}
