package dev.waybill.console;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/** The page's files, from the jar. */
final class Assets {
  private static final Pattern NAME = Pattern.compile("([a-z0-9-]+/){0,2}[a-zA-Z0-9.-]+");
  private static final Map<String, String> TYPES =
      Map.of(
          "html", "text/html; charset=utf-8",
          "css", "text/css; charset=utf-8",
          "js", "text/javascript; charset=utf-8",
          "svg", "image/svg+xml",
          "md", "text/plain; charset=utf-8");

  /** A file. */
  static final class Asset {
    private final String type;
    private final byte[] bytes;

    Asset(String type, byte[] bytes) {
      this.type = type;
      this.bytes = bytes;
    }

    /** For the browser. */
    String type() {
      return type;
    }

    /** Its contents, which nobody may change. */
    byte[] bytes() {
      return bytes;
    }
  }

  private final Map<String, Optional<Asset>> loaded = new ConcurrentHashMap<>();

  /**
   * A file by its path below the page; only names that files of the page can have are looked up.
   */
  Optional<Asset> find(String path) {
    String name = path.isEmpty() ? "index.html" : path;
    if (!NAME.matcher(name).matches() || name.contains("..")) {
      return Optional.empty();
    }
    Optional<Asset> known = loaded.get(name);
    if (known == null) {
      known = load(name);
      if (known.isPresent()) {
        loaded.put(name, known);
      }
    }
    return known;
  }

  private static Optional<Asset> load(String name) {
    String ending = name.substring(name.lastIndexOf('.') + 1);
    try (InputStream in = Assets.class.getResourceAsStream("page/" + name)) {
      if (in == null) {
        return Optional.empty();
      }
      return Optional.of(
          new Asset(TYPES.getOrDefault(ending, "text/plain; charset=utf-8"), in.readAllBytes()));
    } catch (IOException e) {
      throw new UncheckedIOException("The jar is damaged: " + name, e);
    }
  }
}
