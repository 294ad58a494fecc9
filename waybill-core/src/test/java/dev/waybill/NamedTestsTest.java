package dev.waybill;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Tables say which test keeps which promise: those of the reference's tests beside ours, those of
 * guarantees and of locks in the documentation. Every test that such a table names exists.
 */
class NamedTestsTest {
  private static final Path ROOT = Path.of(System.getProperty("waybill.root", ".."));
  private static final Pattern METHOD = Pattern.compile(" void (\\w+)\\(");
  private static final Pattern QUOTED = Pattern.compile("`([^`]+)`");

  /** A class of tests, with or without a method, or a method whose name is a sentence. */
  private static final Pattern TEST =
      Pattern.compile(
          "(?<class>[A-Z]\\w*(?:Test|IT))(?:\\.(?<member>\\w+)…?)?"
              + "|\\.?(?<method>[a-z]+(?:[A-Z0-9]\\w*){3,})…?");

  /** What such a column is called. */
  private static final List<String> COLUMNS =
      List.of("ours", "a test that its behaviour would fail", "seen in");

  private final Map<String, List<String>> methods = new HashMap<>();
  private final List<String> wrong = new ArrayList<>();
  private int named;

  NamedTestsTest() throws IOException {
    for (Path source : files("Test.java", "IT.java")) {
      Matcher matcher = METHOD.matcher(Files.readString(source));
      List<String> found =
          methods.computeIfAbsent(
              source.getFileName().toString().replace(".java", ""), name -> new ArrayList<>());
      while (matcher.find()) {
        found.add(matcher.group(1));
      }
    }
  }

  private static List<Path> files(String... endings) throws IOException {
    try (Stream<Path> all = Files.walk(ROOT)) {
      return all.filter(path -> !path.toString().contains("/target/"))
          .filter(path -> Stream.of(endings).anyMatch(path.toString()::endsWith))
          .toList();
    }
  }

  @Test
  void everyTestThatATableNamesExists() throws IOException {
    List<Path> pages = new ArrayList<>(files("REFERENCE.md"));
    pages.add(ROOT.resolve("docs/guarantees.md"));
    pages.add(ROOT.resolve("docs/concurrency.md"));
    pages.forEach(this::check);
    assertThat(wrong).isEmpty();
    assertThat(named).isGreaterThan(400);
  }

  private void check(Path page) {
    List<String> lines;
    try {
      lines = Files.readAllLines(page);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    int column = -1;
    for (String line : lines) {
      if (!line.startsWith("|")) {
        column = -1;
        continue;
      }
      String[] cells = line.split("\\|", -1);
      if (column < 0) {
        column = columnOf(cells);
      } else if (column < cells.length) {
        checkCell(page, cells[column]);
      }
    }
  }

  /** Beyond every cell if there is none. */
  private static int columnOf(String[] cells) {
    for (int i = 0; i < cells.length; i++) {
      if (COLUMNS.contains(cells[i].strip())) {
        return i;
      }
    }
    return Integer.MAX_VALUE;
  }

  private void checkCell(Path page, String cell) {
    Matcher quoted = QUOTED.matcher(cell);
    while (quoted.find()) {
      Matcher test = TEST.matcher(quoted.group(1));
      if (test.matches()) {
        named++;
        if (!exists(test)) {
          wrong.add(ROOT.relativize(page) + ": there is no " + quoted.group());
        }
      }
    }
  }

  private boolean exists(Matcher test) {
    String type = test.group("class");
    if (type == null) {
      String method = Objects.requireNonNull(test.group("method"));
      return methods.values().stream().anyMatch(all -> has(all, method));
    }
    String member = test.group("member");
    return methods.containsKey(type)
        && (member == null || has(methods.getOrDefault(type, List.of()), member));
  }

  /** Long names may be cut short. */
  private static boolean has(List<String> all, String beginning) {
    return all.stream().anyMatch(name -> name.startsWith(beginning));
  }
}
