package dev.waybill.internal.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.internal.sql.Statements;
import dev.waybill.job.JobRequest;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The table of the reference's tests names only tests that there are. */
class ReferenceTestsTest {
  private static final Pattern OURS = Pattern.compile("(\\w+Test)#(\\w+)");

  @Test
  void ourTestsExist() {
    List<String> wrong = new ArrayList<>();
    int lines = 0;
    String table = Statements.resource("/dev/waybill/internal/job/reference-tests.txt");
    for (String line : table.lines().toList()) {
      if (line.isBlank() || line.startsWith("#") || line.startsWith("[")) {
        continue;
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
    assertThat(wrong).isEmpty();
    assertThat(lines).isGreaterThan(100);
  }

  private static boolean exists(String type, String method) {
    return Stream.of(ReferenceTestsTest.class, JobRequest.class)
        .map(neighbour -> neighbour.getPackageName() + "." + type)
        .anyMatch(name -> has(name, method));
  }

  private static boolean has(String name, String method) {
    try {
      return Stream.of(Class.forName(name).getDeclaredMethods())
          .map(Method::getName)
          .anyMatch(method::equals);
    } catch (ClassNotFoundException e) {
      return false;
    }
  }
}
