package dev.waybill.bench.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class StepLogTest {
  private static final Map<String, List<String>> CHAIN =
      Map.of("a", List.of(), "b", List.of("a"), "c", List.of("a", "b"));

  private final StepLog log = new StepLog();

  private void run(int run, String... steps) {
    for (String step : steps) {
      log.run(run, step);
    }
  }

  @Test
  void allInTheirOrderIsFine() {
    run(1, "a");
    run(0, "a", "b", "c");
    run(1, "b", "c");
    assertThat(log.judge(2, CHAIN)).isEqualTo(new StepLog.Verdict(0, 0, 0));
  }

  @Test
  void whatIsMissingEarlyOrThereTwiceIsFound() {
    run(0, "b", "a", "c", "c");
    run(1, "a", "c");
    assertThat(log.judge(2, CHAIN)).isEqualTo(new StepLog.Verdict(1, 2, 1));
  }
}
