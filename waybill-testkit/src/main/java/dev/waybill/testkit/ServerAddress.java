package dev.waybill.testkit;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A server and how to log in to it.
 *
 * @param parameters of the URL, without the question mark
 * @param adminDatabase to connect to while the database in question does not exist
 */
record ServerAddress(
    DatabaseProduct product,
    String hostAndPort,
    String parameters,
    String user,
    String password,
    String adminDatabase) {

  private static final Pattern URL =
      Pattern.compile("jdbc:(\\w+)://([^/?]+)(?:/([^?]*))?(?:\\?(.*))?");

  static ServerAddress parse(DatabaseProduct product, String url) {
    Matcher parts = URL.matcher(url);
    if (!parts.matches() || !parts.group(1).equals(scheme(product))) {
      throw new IllegalArgumentException(
          "Not a URL such as jdbc:%s://host:port/database?user=u&password=p: %s"
              .formatted(scheme(product), withoutSecrets(url)));
    }
    String user = "";
    String password = "";
    List<String> others = new ArrayList<>();
    for (String parameter : nullToEmpty(parts.group(4)).split("&", -1)) {
      if (parameter.startsWith("user=")) {
        user = valueOf(parameter);
      } else if (parameter.startsWith("password=")) {
        password = valueOf(parameter);
      } else if (!parameter.isEmpty()) {
        others.add(parameter);
      }
    }
    return new ServerAddress(
        product,
        parts.group(2),
        String.join("&", others),
        user,
        password,
        nullToEmpty(parts.group(3)));
  }

  DatabaseAddress database(String name) {
    String query = parameters.isEmpty() ? "" : "?" + parameters;
    return new DatabaseAddress(
        product,
        "jdbc:" + scheme(product) + "://" + hostAndPort + "/" + name + query,
        user,
        password);
  }

  DatabaseAddress admin() {
    return database(adminDatabase);
  }

  static String scheme(DatabaseProduct product) {
    return switch (product) {
      case POSTGRESQL -> "postgresql";
      case MARIADB -> "mariadb";
      case MYSQL -> "mysql";
      case SQLITE -> throw new IllegalArgumentException("SQLite has no server");
    };
  }

  /** Logs of tests are public. */
  private static String withoutSecrets(String url) {
    return url.replaceFirst("(?s)\\?.*", "?...").replaceFirst("(?s)//.*@", "//...@");
  }

  private static String valueOf(String parameter) {
    return URLDecoder.decode(
        parameter.substring(parameter.indexOf('=') + 1), StandardCharsets.UTF_8);
  }

  private static String nullToEmpty(@Nullable String text) {
    return text == null ? "" : text;
  }
}
