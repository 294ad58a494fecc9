package dev.waybill.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class ViewTest {
  private static final Report BUSY =
      new Report(123_456, 123_456, 4_711, 815, 99_999, 12_345, 234_567, 3_456_789);

  private final StringWriter out = new StringWriter();

  private View view(boolean terminal) {
    return new View(new PrintWriter(out), terminal, 20);
  }

  @Test
  void onATerminalSomeLinesChangeInPlaceBelowThoseThatStay() {
    View view = view(true);
    view.say("first");
    view.report(3, BUSY, 100.4, 99.6);
    String panel = out.toString().substring("first\n".length());
    assertThat(panel.replace("\033[?7h", "").lines())
        .hasSize(5)
        .allSatisfy(
            line -> assertThat(line.replaceAll("\033\\[[?0-9]*[a-zA-Z]", "")).hasSizeLessThan(80));
    assertThat(panel)
        .contains("3 of 20 s", "in 100/s", "out 100/s", "waiting 99999")
        .contains("p50 12.3 ms", "p95 234.6 ms", "p99 3456.8 ms")
        .contains("4711 retries", "815 dead letters");

    out.getBuffer().setLength(0);
    view.say("second");
    assertThat(out.toString())
        .startsWith("\r\033[5A\033[Jsecond" + System.lineSeparator())
        .endsWith(panel);

    view.rest();
    out.getBuffer().setLength(0);
    view.say("third");
    assertThat(out.toString()).isEqualToIgnoringNewLines("third");
  }

  @Test
  void elsewhereEveryFourthReportIsALine() {
    View view = view(false);
    for (int i = 0; i < 8; i++) {
      view.report(i, BUSY, 100, 100);
    }
    assertThat(out.toString().lines())
        .hasSize(2)
        .allSatisfy(line -> assertThat(line).contains("retries 4711").doesNotContain("\033"));
  }
}
