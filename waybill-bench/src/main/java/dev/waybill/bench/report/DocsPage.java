package dev.waybill.bench.report;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** {@code docs/benchmarks.md}: the method in words, and the figures of one benchmark. */
public final class DocsPage {
  private static final String FIGURES = "{{figures}}";
  private static final String CONTENDERS = "{{contenders}}";

  private DocsPage() {}

  /** The page with these results. */
  public static String of(Results results) throws IOException {
    Summary summary = new Summary(results.results());
    StringBuilder text = new StringBuilder();
    text.append("Measured ").append(results.started()).append(", scale ").append(results.scale());
    text.append(repetitions(results)).append(". Who is missing in a table was not run there.\n");
    text.append("\n- ").append(results.machine()).append('\n');
    results
        .servers()
        .forEach(
            (product, version) ->
                text.append("- ").append(product).append(' ').append(version).append('\n'));
    text.append("\n### Targets\n\n").append(targets(summary));
    text.append("\n### Where we lose\n\n").append(Losses.of(summary));
    for (Summary.Table table : summary.tables()) {
      text.append("\n### ").append(TextTable.title(table)).append("\n\n");
      text.append(markdown(TextTable.rows(summary, table)));
      List<String> remarks = new ArrayList<>();
      for (String contender : summary.contenders(table)) {
        summary
            .remarks(table, contender)
            .forEach(remark -> remarks.add(contender + ": " + remark + "\n"));
      }
      if (!remarks.isEmpty()) {
        text.append('\n').append(String.join("\n", remarks));
      }
    }
    return page(text.toString());
  }

  private static String repetitions(Results results) {
    int most = results.results().stream().mapToInt(Result::repetition).max().orElse(1);
    return most == 1
        ? ", each once: how far the figures spread is not known"
        : ", " + most + " repetitions";
  }

  /** The page before anything was measured. */
  static String withoutFigures() throws IOException {
    return page("Not yet measured.\n");
  }

  private static String page(String figures) throws IOException {
    try (InputStream in = DocsPage.class.getResourceAsStream("benchmarks.md")) {
      String method = new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
      return method
          .replace(CONTENDERS, markdown(HtmlReport.contenders()))
          .replace(FIGURES, figures.stripTrailing() + "\n");
    }
  }

  private static String targets(Summary summary) {
    StringBuilder text = new StringBuilder();
    text.append("| Waybill | against | goal | reached | |\n|---|---|--:|--:|---|\n");
    for (Target target : Target.all()) {
      Optional<Target.Outcome> outcome = target.outcome(summary);
      text.append("| ").append(target.what()).append(" | ");
      text.append(outcome.map(Target.Outcome::rival).orElse(String.join(", ", target.against())));
      text.append(" | ").append(target.metric().moreIsBetter() ? "≥ " : "≤ ");
      text.append(Numbers.of(target.goal())).append(" | ");
      text.append(outcome.map(each -> Numbers.of(each.ratio())).orElse("not measured"));
      text.append(" | ").append(outcome.map(each -> each.met() ? "met" : "missed").orElse(""));
      text.append(" |\n");
    }
    for (SelfTarget target : SelfTarget.all()) {
      Optional<Double> reached = target.reached().apply(summary);
      text.append("| ").append(target.what()).append(" | ").append(target.against());
      text.append(target.isLeast() ? " | ≥ " : " | ≤ ");
      text.append(Numbers.of(target.goal())).append(" | ");
      text.append(reached.map(each -> Numbers.of(each)).orElse("not measured")).append(" | ");
      text.append(reached.map(each -> target.met(each) ? "met" : "missed").orElse(""));
      text.append(" |\n");
    }
    return text.toString();
  }

  static String markdown(List<List<String>> rows) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < rows.size(); i++) {
      text.append("| ").append(String.join(" | ", rows.get(i))).append(" |\n");
      if (i == 0) {
        text.append("|---").append("|--:".repeat(rows.get(0).size() - 1)).append("|\n");
      }
    }
    return text.toString();
  }
}
