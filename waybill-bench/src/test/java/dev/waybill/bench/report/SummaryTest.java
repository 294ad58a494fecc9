package dev.waybill.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.bench.measure.Metric;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SummaryTest {
  private static final Summary.Table TABLE = new Summary.Table("S1", "", "POSTGRESQL");

  private static Result result(
      String contender, int repetition, double rate, @Nullable String failure) {
    return new Result(
        "POSTGRESQL",
        "S1",
        "",
        contender,
        repetition,
        Map.of(Metric.THROUGHPUT, rate),
        List.of(),
        List.of(),
        List.of(),
        failure);
  }

  @Test
  void givesMedianAndSpreadOfWhatSucceeded() {
    Summary summary =
        new Summary(
            List.of(
                result("a", 1, 10, null),
                result("a", 2, 30, null),
                result("a", 3, 20, null),
                result("a", 4, 99, "lost a message")));
    assertThat(summary.spread(TABLE, "a", Metric.THROUGHPUT))
        .contains(new Summary.Spread(20, 10, 30));
    assertThat(summary.remarks(TABLE, "a")).containsExactly("FAILED: lost a message");
  }

  @Test
  void comparesWithinARepetition() {
    Summary summary =
        new Summary(
            List.of(
                result("a", 1, 100, null),
                result("b", 1, 50, null),
                result("a", 2, 10, null),
                result("b", 2, 5, null)));
    assertThat(summary.ratio(TABLE, "a", "b", Metric.THROUGHPUT)).hasValue(2);
    assertThat(summary.ratio(TABLE, "a", "c", Metric.THROUGHPUT)).isEmpty();
  }

  @Test
  void comparesWithinARepetitionOfEachRunThatIsReadTogether(@TempDir Path folder)
      throws IOException {
    Path fast = written(folder, "fast", result("a", 1, 100, null), result("b", 1, 50, null));
    Path slow = written(folder, "slow", result("a", 1, 10, null), result("b", 1, 5, null));
    Results both = Results.read(List.of(fast, slow));
    assertThat(both.results()).extracting(Result::repetition).containsExactly(1, 1, 2, 2);
    assertThat(new Summary(both.results()).ratio(TABLE, "a", "b", Metric.THROUGHPUT)).hasValue(2);
  }

  private static Path written(Path folder, String name, Result... results) throws IOException {
    Path file = folder.resolve(name);
    new Results(name, "tiny", "this", Map.of(), List.of(results)).write(file);
    return file;
  }
}
