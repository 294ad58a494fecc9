package dev.waybill.console;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Describes the REST API, from the same table that answers it. */
final class OpenApi {
  private OpenApi() {}

  static Doc describe(List<Route> routes, String base) {
    Map<String, Map<String, Object>> paths = new LinkedHashMap<>();
    for (Route route : routes) {
      paths
          .computeIfAbsent(route.path(), path -> new LinkedHashMap<>())
          .put(route.method().toLowerCase(Locale.ROOT), operation(route));
    }
    return Doc.of("openapi", "3.1.0")
        .put(
            "info",
            Doc.of("title", "Waybill console")
                .put("version", "1")
                .put(
                    "description",
                    "Everything the console's page does. Send a token as 'Authorization: Bearer …',"
                        + " or a session's cookie and, with every POST, its csrf text in the header"
                        + " X-Waybill-Csrf. Errors are objects with 'error', a stable word, and"
                        + " 'message'."))
        .put("servers", List.of(Doc.of("url", base + "/api/v1")))
        .put("paths", paths)
        .put(
            "components",
            Doc.of(
                "securitySchemes",
                Doc.of("token", Doc.of("type", "http").put("scheme", "bearer"))
                    .put(
                        "session",
                        Doc.of("type", "apiKey")
                            .put("in", "cookie")
                            .put("name", Sessions.COOKIE))));
  }

  private static Doc operation(Route route) {
    List<Doc> parameters = new ArrayList<>();
    route.variables().forEach(name -> parameters.add(parameter("path", name, true)));
    boolean get = route.method().equals("GET");
    if (get) {
      route.parameters().forEach(name -> parameters.add(parameter("query", name, false)));
    }
    Doc operation =
        Doc.of("summary", route.summary())
            .put("description", "Needs the role " + route.role() + ".")
            .put("parameters", parameters);
    if (!get) {
      Doc members = new Doc();
      route.parameters().forEach(name -> members.put(name, new Doc()));
      operation.put(
          "requestBody",
          Doc.of(
              "content",
              Doc.of(
                  "application/json",
                  Doc.of("schema", Doc.of("type", "object").put("properties", members)))));
    }
    Doc problem = Doc.of("description", "Refused: 'error' and 'message' say why.");
    return operation.put(
        "responses", Doc.of("200", Doc.of("description", "Done.")).put("default", problem));
  }

  private static Doc parameter(String in, String name, boolean required) {
    return Doc.of("in", in)
        .put("name", name)
        .put("required", required)
        .put("schema", Doc.of("type", "string"));
  }
}
