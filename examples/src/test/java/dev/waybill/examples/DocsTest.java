package dev.waybill.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The Java of a page is that of a test, word for word and in the same order. */
class DocsTest {
  private static final Pattern IN_PAGE = Pattern.compile("(?s)```java\n(.*?)```");
  private static final Pattern IN_TEST =
      Pattern.compile("(?s)// sample begins\n(.*?)[ ]*// sample ends");

  @ParameterizedTest
  @CsvSource({"jobs.md, JobSamplesTest", "workflows.md, WorkflowSamplesTest"})
  void showsWhatRuns(String page, String test) throws IOException {
    Path root = Path.of(System.getProperty("waybill.root", ".."));
    String source =
        Files.readString(
            root.resolve("examples/src/test/java/dev/waybill/examples/" + test + ".java"));
    List<String> shown = find(IN_PAGE, Files.readString(root.resolve("docs").resolve(page)));
    assertThat(shown).isNotEmpty().containsExactlyElementsOf(find(IN_TEST, source));
  }

  private static List<String> find(Pattern pattern, String text) {
    List<String> found = new ArrayList<>();
    Matcher matcher = pattern.matcher(text);
    while (matcher.find()) {
      found.add(matcher.group(1).stripTrailing().stripIndent());
    }
    return found;
  }
}
