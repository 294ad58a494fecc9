package dev.waybill.console;

import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads what was asked. */
final class Incoming {
  private static final int LARGEST_BODY = 256 * 1024;
  private static final String API = "/api/v1/";

  private final Exchange exchange;
  private final String inside;
  private final String query;

  /** Of a console that lives under that path. */
  Incoming(Exchange exchange, String base) {
    this.exchange = exchange;
    String target = exchange.target();
    int mark = target.indexOf('?');
    String path = mark < 0 ? target : target.substring(0, mark);
    this.query = mark < 0 ? "" : target.substring(mark + 1);
    this.inside = path.startsWith(base) ? path.substring(base.length()) : "nowhere";
    if (!inside.isEmpty() && !inside.startsWith("/")) {
      throw Refusal.notFound("such page");
    }
  }

  Exchange exchange() {
    return exchange;
  }

  boolean isPost() {
    return exchange.method().equals("POST");
  }

  /** Whether the console's own path was asked for, without the slash behind it. */
  boolean isBare() {
    return inside.isEmpty();
  }

  boolean isForApi() {
    return inside.startsWith(API);
  }

  /** Of the page. */
  String file() {
    return inside.substring(1);
  }

  /** Of the API's path. */
  List<String> segments() {
    List<String> segments = new ArrayList<>();
    for (String segment : inside.substring(API.length()).split("/", -1)) {
      segments.add(decoded(segment.replace("+", "%2B")));
    }
    return segments;
  }

  Map<String, String> query() {
    Map<String, String> found = new HashMap<>();
    for (String pair : query.split("&", -1)) {
      int sign = pair.indexOf('=');
      if (sign > 0) {
        found.putIfAbsent(decoded(pair.substring(0, sign)), decoded(pair.substring(sign + 1)));
      }
    }
    return found;
  }

  Map<String, @Nullable Object> body() throws IOException {
    String type = exchange.headers("Content-Type").stream().findFirst().orElse("");
    if (!type.startsWith("application/json")) {
      throw new Refusal(415, "not_json", "Send JSON.");
    }
    byte[] bytes = exchange.body().readNBytes(LARGEST_BODY + 1);
    if (bytes.length > LARGEST_BODY) {
      throw new Refusal(413, "too_large", "A body has at most " + LARGEST_BODY + " bytes.");
    }
    return Json.readObject(new String(bytes, StandardCharsets.UTF_8));
  }

  private static String decoded(String text) {
    try {
      return URLDecoder.decode(text, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw Refusal.invalid("The address is not well-formed.");
    }
  }
}
