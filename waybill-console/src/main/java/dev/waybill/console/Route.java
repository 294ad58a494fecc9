package dev.waybill.console;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * One thing that the REST API can do.
 *
 * @param method GET or POST
 * @param path below {@code /api/v1}, with variables in braces
 * @param role who may
 * @param summary for the description document
 * @param parameters of the query (GET) or members of the body (POST)
 * @param handler does it
 */
record Route(
    String method,
    String path,
    Role role,
    String summary,
    List<String> parameters,
    Handler handler) {
  /** Answers a request. */
  interface Handler {
    Doc handle(Request request) throws Exception;
  }

  static Route get(String path, String summary, List<String> parameters, Handler handler) {
    return new Route("GET", path, Role.VIEW, summary, parameters, handler);
  }

  static Route post(String path, String summary, List<String> members, Handler handler) {
    return new Route("POST", path, Role.OPERATE, summary, members, handler);
  }

  /** The values of the variables, if the segments are those of this route. */
  Optional<Map<String, String>> match(List<String> segments) {
    List<String> own = segments();
    if (own.size() != segments.size()) {
      return Optional.empty();
    }
    Map<String, String> names = new HashMap<>();
    for (int i = 0; i < own.size(); i++) {
      String expected = own.get(i);
      if (expected.startsWith("{")) {
        names.put(expected.substring(1, expected.length() - 1), segments.get(i));
      } else if (!expected.equals(segments.get(i))) {
        return Optional.empty();
      }
    }
    return Optional.of(names);
  }

  List<String> variables() {
    return segments().stream()
        .filter(segment -> segment.startsWith("{"))
        .map(segment -> segment.substring(1, segment.length() - 1))
        .toList();
  }

  private List<String> segments() {
    return new ArrayList<>(List.of(path.substring(1).split("/", -1)));
  }
}
