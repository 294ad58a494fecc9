package dev.waybill;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.internal.sql.Statements;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A table of the reference's tests: each has a test of ours that there is, or a reason. */
public final class ReferenceTable {
  private static final Pattern OURS = Pattern.compile("(\\w+Test)#(\\w+)");

  private final List<String> packages;
  private final List<String> wrong = new ArrayList<>();
  private int lines;

  private ReferenceTable(List<String> packages) {
    this.packages = packages;
  }

  /** Reads a table and finds its tests in these packages. */
  public static void check(String resource, int atLeast, String... packages) {
    ReferenceTable table = new ReferenceTable(List.of(packages));
    Statements.resource(resource).lines().forEach(table::line);
    assertThat(table.wrong).isEmpty();
    assertThat(table.lines).isGreaterThan(atLeast);
  }

  private void line(String line) {
    if (line.isBlank() || line.startsWith("#") || line.startsWith("[")) {
      return;
    }
    lines++;
    boolean reason = line.matches("\\S+ - .+");
    Matcher ours = OURS.matcher(line);
    boolean found = false;
    while (ours.find()) {
      found = true;
      if (!exists(ours.group(1), ours.group(2))) {
        wrong.add(line);
      }
    }
    if (!reason && !(found && line.matches("\\S+ = .+"))) {
      wrong.add(line);
    }
  }

  private boolean exists(String type, String method) {
    return packages.stream().anyMatch(each -> has(each + "." + type, method));
  }

  private static boolean has(String name, String method) {
    try {
      return Stream.of(Class.forName(name).getDeclaredMethods())
          .anyMatch(own -> own.getName().equals(method));
    } catch (ClassNotFoundException e) {
      return false;
    }
  }
}
