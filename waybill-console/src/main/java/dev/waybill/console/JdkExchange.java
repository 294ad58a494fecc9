package dev.waybill.console;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.URI;
import java.util.List;
import java.util.Map;

/** An exchange of the JDK's own server. */
record JdkExchange(HttpExchange exchange) implements Exchange {
  @Override
  public String method() {
    return exchange.getRequestMethod();
  }

  @Override
  public String target() {
    // A proxy may have sent the whole address.
    URI asked = exchange.getRequestURI();
    String query = asked.getRawQuery();
    return asked.getRawPath() + (query == null ? "" : "?" + query);
  }

  @Override
  public List<String> headers(String name) {
    return exchange.getRequestHeaders().getOrDefault(name, List.of());
  }

  @Override
  public InetAddress address() {
    return exchange.getRemoteAddress().getAddress();
  }

  @Override
  public InputStream body() {
    return exchange.getRequestBody();
  }

  @Override
  public OutputStream answer(int status, Map<String, String> headers, long length)
      throws IOException {
    headers.forEach(exchange.getResponseHeaders()::set);
    // To the JDK, -1 is none and 0 is unknown.
    exchange.sendResponseHeaders(status, length == 0 ? -1 : Math.max(0, length));
    return exchange.getResponseBody();
  }
}
