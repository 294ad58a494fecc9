package dev.waybill.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.TestDatabase;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The short version of {@code ./waybill chaos}: every harm once. */
@EveryDatabase
class ChaosTest {
  @Test
  void whateverDiesTheHistoryIsAsPromised(TestDatabase database, @TempDir Path folder)
      throws Exception {
    DatabaseProduct product = database.product();
    int kinds = Harm.of(product).size();
    Settings settings =
        new Settings(
            product,
            System.nanoTime(),
            Duration.ZERO,
            kinds,
            6_000,
            product == DatabaseProduct.SQLITE ? 1 : 2);
    try (Storm storm = new Storm(settings, folder)) {
      Report report =
          storm.run(new Progress(new PrintStream(PrintStream.nullOutputStream()), false));
      System.out.print(report.text());
      assertThat(report.violations()).as("seed %s", settings.seed()).isEmpty();
      assertThat(report.harms()).hasSize(kinds);
      assertThat(report.effects()).isGreaterThan(100);
      assertThat(report.given()).isGreaterThan(100);
    }
  }
}
