package dev.waybill.console;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/** Addresses within the page. */
final class Links {
  private Links() {}

  static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }
}
