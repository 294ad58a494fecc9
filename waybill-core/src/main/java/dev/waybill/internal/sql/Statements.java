package dev.waybill.internal.sql;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The catalogue: every named statement of one dialect, compiled against the user's names when it is
 * first wanted. Safe for use by many threads.
 */
public final class Statements {
  private static final Pattern HEAD_LINE =
      Pattern.compile("(?m)^-- (name|part): ([a-z0-9_]+)\\s*$");
  private static final Pattern INCLUDE_LINE = Pattern.compile("(?m)^-- include: ([a-z0-9_]+)\\s*$");
  private static final Pattern TABLE = Pattern.compile("\\b" + Naming.IN_FILES + "[a-z0-9_]+\\b");
  private static final Pattern IN_LITERAL =
      Pattern.compile("\\{(" + Naming.IN_FILES + "[a-z0-9_]+)}");
  private static final String FOLDER = "/dev/waybill/sql/";
  private static final String OWN = "_own";

  private final Dialect dialect;
  private final Naming naming;
  private final Map<String, String> texts;
  private final Map<String, Sql> whole = new ConcurrentHashMap<>();
  private final Map<Variant, Sql> variants = new ConcurrentHashMap<>();

  /** A statement with some of its optional parts. */
  private record Variant(String name, Set<String> given) {}

  private Statements(Dialect dialect, Naming naming, Map<String, String> texts) {
    this.dialect = dialect;
    this.naming = naming;
    this.texts = Collections.unmodifiableMap(texts);
  }

  /**
   * Loads the named files (without their ending) of the dialect, and beside each the one with the
   * statements of the dialect's own shape, if it has one.
   */
  public static Statements load(Dialect dialect, Naming naming, List<String> files) {
    Map<String, String> texts = new LinkedHashMap<>();
    for (String file : files) {
      String path = FOLDER + dialect.folder() + "/" + file;
      add(texts, blocks(resource(path + ".sql")), dialect);
      if (Statements.class.getResource(path + OWN + ".sql") != null) {
        add(texts, blocks(resource(path + OWN + ".sql")), dialect);
      }
    }
    return new Statements(dialect, naming, texts);
  }

  private static void add(Map<String, String> texts, Map<String, String> more, Dialect dialect) {
    more.forEach(
        (name, text) -> {
          if (texts.put(name, text) != null) {
            throw new IllegalStateException(
                "Statement " + name + " is defined twice for " + dialect.folder());
          }
        });
  }

  /** The blocks of a file in their order, by name, with the parts that they include. */
  public static Map<String, String> blocks(String text) {
    Map<String, String> blocks = new LinkedHashMap<>();
    Map<String, String> parts = new LinkedHashMap<>();
    Matcher line = HEAD_LINE.matcher(text);
    boolean found = line.find();
    while (found) {
      Map<String, String> into = line.group(1).equals("part") ? parts : blocks;
      String name = line.group(2);
      int from = line.end();
      found = line.find();
      put(into, name, text.substring(from, found ? line.start() : text.length()));
    }
    parts.replaceAll((name, part) -> included(name, part, parts));
    blocks.replaceAll((name, block) -> included(name, block, parts));
    return blocks;
  }

  private static String included(String name, String block, Map<String, String> parts) {
    return INCLUDE_LINE
        .matcher(block)
        .replaceAll(
            include -> {
              String part = parts.get(include.group(1));
              if (part == null) {
                throw new IllegalStateException(
                    "Block " + name + " includes " + include.group(1) + ", which is no part");
              }
              return Matcher.quoteReplacement(part);
            });
  }

  private static void put(Map<String, String> blocks, String name, String text) {
    if (blocks.put(name, text.strip()) != null) {
      throw new IllegalStateException("Block " + name + " is defined twice");
    }
  }

  /** The text of a resource of this module. */
  public static String resource(String path) {
    try (InputStream in = Statements.class.getResourceAsStream(path)) {
      if (in == null) {
        throw new IllegalStateException("No resource " + path);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException("Resource " + path + " is unreadable", e);
    }
  }

  /**
   * Replaces the names of the files by the user's, quoted and, except for indexes, qualified; in a
   * literal those in braces, for functions that are given a name.
   */
  public static String rename(String text, Dialect dialect, Naming naming) {
    StringBuilder out = new StringBuilder();
    for (SqlScanner.Piece piece : SqlScanner.scan(text)) {
      out.append(
          switch (piece.type()) {
            case CODE ->
                TABLE
                    .matcher(piece.text())
                    .replaceAll(
                        m -> Matcher.quoteReplacement(dialect.identifier(m.group(), naming)));
            case QUOTED ->
                IN_LITERAL
                    .matcher(piece.text())
                    .replaceAll(
                        m ->
                            Matcher.quoteReplacement(
                                dialect.identifier(m.group(1), naming).replace("'", "''")));
            case COMMENT -> piece.text();
          });
    }
    return out.toString();
  }

  /** Names in the order of the files. */
  public Set<String> names() {
    return texts.keySet();
  }

  /** The JDBC text of a statement, with one row if it repeats rows. */
  public String text(String name) {
    return get(name).text(1);
  }

  /** The statement with those of its optional parts whose parameters are given. */
  Sql get(String name, Set<String> given) {
    return variants.computeIfAbsent(
        new Variant(name, Set.copyOf(given)),
        variant -> {
          String block = block(name);
          if (!OptionalParts.in(block)) {
            throw new IllegalStateException("Statement " + name + " has no optional parts");
          }
          return compiled(name, OptionalParts.only(block, variant.given()));
        });
  }

  Sql get(String name) {
    Sql sql = whole.get(name);
    return sql != null
        ? sql
        : whole.computeIfAbsent(name, any -> compiled(name, OptionalParts.all(block(name))));
  }

  private Sql compiled(String name, String text) {
    return Sql.compile(name, text, dialect, naming);
  }

  private String block(String name) {
    String block = texts.get(name);
    if (block == null) {
      throw new IllegalStateException("No statement " + name + " in the catalogue");
    }
    return block;
  }
}
