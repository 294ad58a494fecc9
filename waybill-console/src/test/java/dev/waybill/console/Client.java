package dev.waybill.console;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Talks to a console as a program or as the page does. */
final class Client {
  private final URI base;
  private final HttpClient http = HttpClient.newHttpClient();
  private final List<String> headers = new ArrayList<>();

  Client(Console console) {
    this.base = console.address();
  }

  Client with(String name, String value) {
    headers.add(name);
    headers.add(value);
    return this;
  }

  Client bearer(String token) {
    return with("Authorization", "Bearer " + token);
  }

  /** With what the page gets when it begins. */
  Client asPage() throws Exception {
    Object csrf = get("session").body().get("csrf");
    return with(Doorkeeper.CSRF_HEADER, String.valueOf(csrf));
  }

  record Answer(int status, Map<String, @Nullable Object> body, HttpResponse<String> raw) {
    Object at(String name) {
      return Objects.requireNonNull(body.get(name), name);
    }

    @SuppressWarnings("unchecked")
    List<Map<String, Object>> list(String name) {
      return (List<Map<String, Object>>) at(name);
    }
  }

  Answer get(String path) throws Exception {
    return send(request(path).GET());
  }

  Answer post(String path, String json) throws Exception {
    return send(
        request(path)
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(json)));
  }

  HttpResponse<String> page(String path) throws Exception {
    return http.send(HttpRequest.newBuilder(base.resolve(path)).build(), BodyHandlers.ofString());
  }

  /** A request as it is on the wire, for what the client above would not send. */
  static List<String> raw(Console console, String... lines) throws Exception {
    try (Socket socket = new Socket(console.address().getHost(), console.address().getPort())) {
      socket
          .getOutputStream()
          .write((String.join("\r\n", lines) + "\r\n\r\n").getBytes(StandardCharsets.UTF_8));
      socket.getOutputStream().flush();
      try (BufferedReader in =
          new BufferedReader(
              new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8))) {
        return in.lines().takeWhile(line -> !line.isEmpty()).toList();
      }
    }
  }

  HttpRequest.Builder request(String path) {
    HttpRequest.Builder request = HttpRequest.newBuilder(base.resolve("api/v1/" + path));
    if (!headers.isEmpty()) {
      request.headers(headers.toArray(String[]::new));
    }
    return request;
  }

  HttpClient http() {
    return http;
  }

  private Answer send(HttpRequest.Builder request) throws Exception {
    HttpResponse<String> response = http.send(request.build(), BodyHandlers.ofString());
    return new Answer(response.statusCode(), Json.readObject(response.body()), response);
  }
}
