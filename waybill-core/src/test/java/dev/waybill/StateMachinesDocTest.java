package dev.waybill;

import static java.util.stream.Collectors.toCollection;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.job.AttemptOutcome;
import dev.waybill.job.JobStatus;
import dev.waybill.job.ScheduleFire;
import dev.waybill.outbox.DeadLetterStatus;
import dev.waybill.workflow.StepStatus;
import dev.waybill.workflow.WorkflowStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The page about states knows those that there are, and no others. */
class StateMachinesDocTest {
  private static final Path ROOT = Path.of(System.getProperty("waybill.root", ".."));
  private static final Pattern WORD = Pattern.compile("`([A-Z][A-Z_]+)`");
  private static final Pattern TYPE = Pattern.compile("`([A-Z][a-z]\\w+)`");
  private static final Pattern ARROW = Pattern.compile("  (\\S+) --> ([^\\s:]+)(?::.*)?");

  private final Map<String, List<String>> sections = new LinkedHashMap<>();

  StateMachinesDocTest() throws IOException {
    List<String> section = new ArrayList<>();
    for (String line : Files.readAllLines(ROOT.resolve("docs/state-machines.md"))) {
      if (line.startsWith("##")) {
        section = sections.computeIfAbsent(line.replaceFirst("#+ ", ""), key -> new ArrayList<>());
      }
      section.add(line);
    }
  }

  @Test
  void theTransitionsAreThoseOfEveryStatusAndOfNoOther() {
    assertThat(statuses("A dead letter")).isEqualTo(names(DeadLetterStatus.values()));
    assertThat(statuses("A job")).isEqualTo(names(JobStatus.values()));
    assertThat(statuses("A run of a workflow")).isEqualTo(names(WorkflowStatus.values()));
    assertThat(statuses("A step")).isEqualTo(names(StepStatus.values()));
    assertThat(names(StepStatus.values())).containsAll(statuses("A gate"));
  }

  @Test
  void theDiagramsHaveTheStatesOfTheirTables() {
    assertThat(drawn("A dead letter")).isEqualTo(names(DeadLetterStatus.values()));
    assertThat(drawn("A job")).isEqualTo(names(JobStatus.values()));
    assertThat(drawn("A run of a workflow")).isEqualTo(names(WorkflowStatus.values()));
    assertThat(drawn("A step")).isEqualTo(names(StepStatus.values()));
    assertThat(drawn("A gate")).isEqualTo(statuses("A gate"));
  }

  @Test
  void everyOutcomeOfAnAttemptAndOfAFireHasARow() {
    assertThat(firstCells("How an attempt ends")).isEqualTo(names(AttemptOutcome.values()));
    assertThat(firstCells("A schedule")).isEqualTo(names(ScheduleFire.Outcome.values()));
  }

  @Test
  void everyClassThatMovesSomethingExists() throws IOException {
    Set<String> types;
    try (Stream<Path> all = Files.walk(ROOT.resolve("waybill-core/src/main/java"))) {
      types =
          all.map(path -> path.getFileName().toString())
              .filter(name -> name.endsWith(".java"))
              .map(name -> name.replace(".java", ""))
              .collect(toSet());
    }
    Set<String> named = new TreeSet<>();
    sections.values().forEach(lines -> transitions(lines).forEach(row -> named.addAll(by(row))));
    assertThat(named).hasSizeGreaterThan(30);
    assertThat(types).containsAll(named);
  }

  private static Set<String> names(Enum<?>... constants) {
    return Arrays.stream(constants).map(Enum::name).collect(toCollection(TreeSet::new));
  }

  private List<String> section(String title) {
    assertThat(sections).containsKey(title);
    return sections.getOrDefault(title, List.of());
  }

  /** Rows with from, to, when, by and transaction. */
  private static List<String[]> transitions(List<String> lines) {
    return lines.stream()
        .filter(line -> line.startsWith("| "))
        .map(line -> line.split("\\|", -1))
        .filter(cells -> cells.length == 7 && !cells[1].isBlank())
        .toList();
  }

  private static Set<String> by(String[] row) {
    return found(TYPE, row[4]);
  }

  private Set<String> statuses(String title) {
    Set<String> statuses = new TreeSet<>();
    for (String[] row : transitions(section(title))) {
      statuses.addAll(found(WORD, row[1]));
      statuses.addAll(found(WORD, row[2]));
    }
    return statuses;
  }

  private Set<String> firstCells(String title) {
    Set<String> words = new TreeSet<>();
    for (String line : section(title)) {
      if (line.startsWith("| `")) {
        words.addAll(found(WORD, line.split("\\|", -1)[1]));
      }
    }
    return words;
  }

  private Set<String> drawn(String title) {
    Set<String> states = new TreeSet<>();
    for (String line : section(title)) {
      Matcher arrow = ARROW.matcher(line);
      if (arrow.matches()) {
        states.add(arrow.group(1));
        states.add(arrow.group(2));
      }
    }
    states.remove("[*]");
    return states;
  }

  private static Set<String> found(Pattern pattern, String text) {
    return pattern
        .matcher(text)
        .results()
        .map(result -> result.group(1))
        .collect(toCollection(TreeSet::new));
  }
}
