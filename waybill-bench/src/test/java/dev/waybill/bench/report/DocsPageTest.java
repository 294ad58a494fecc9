package dev.waybill.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class DocsPageTest {
  private static final String FIGURES = "## Figures";

  @Test
  void saysSoBeforeAnythingWasMeasured() throws Exception {
    assertThat(DocsPage.withoutFigures()).contains("Not yet measured.").doesNotContain("{{");
  }

  @Test
  void theDocumentationHasTheMethodAsItIsNow() throws Exception {
    Path page = Path.of(System.getProperty("waybill.root", ".."), "docs", "benchmarks.md");
    assertThat(method(Files.readString(page))).isEqualTo(method(DocsPage.withoutFigures()));
  }

  private static String method(String page) {
    return page.substring(0, page.indexOf(FIGURES));
  }
}
