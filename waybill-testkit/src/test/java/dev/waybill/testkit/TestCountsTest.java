package dev.waybill.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.ServiceLoader;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.core.LauncherConfig;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

class TestCountsTest {

  @TempDir Path folder;

  @Test
  void countsByDatabaseWhatRanAndWhatFailed() throws IOException {
    LeftOut leftOut = LeftOut.fromSystemProperty();
    assumeFalse(leftOut.contains(Edition.POSTGRESQL), "PostgreSQL is left out on request");
    assumeFalse(leftOut.contains(Edition.SQLITE), "SQLite is left out on request");
    Properties counts = countsOf(OnDatabases.class, WithoutDatabase.class);

    String postgres =
        Edition.POSTGRESQL.isUsers() ? "PostgreSQL at WAYBILL_TEST_POSTGRES_URL" : "PostgreSQL 18";
    String key = postgres.toLowerCase(Locale.ROOT).replace(' ', '-');
    assertThat(counts)
        .containsEntry("jvm", Runtime.version().toString())
        .containsEntry("without", System.getProperty(LeftOut.PROPERTY, ""))
        .containsEntry("label.sqlite-3", "SQLite 3")
        .containsEntry("executed.sqlite-3", "1")
        .containsEntry("failed.sqlite-3", "0")
        .containsEntry("skipped.sqlite-3", "1")
        .containsEntry("label." + key, postgres)
        .containsEntry("executed." + key, "2")
        .containsEntry("failed." + key, "1")
        .containsEntry("label.no-database", "no database")
        .containsEntry("executed.no-database", "1")
        .containsEntry("skipped.no-database", "2");
  }

  @Test
  void aClassThatCannotEvenBeginCountsAsFailed() throws IOException {
    assertThat(countsOf(Unbuildable.class))
        .containsEntry("executed.no-database", "0")
        .containsEntry("failed.no-database", "1");
  }

  @Test
  void isRegistered() {
    assertThat(ServiceLoader.load(TestExecutionListener.class))
        .hasAtLeastOneElementOfType(TestCounts.class);
  }

  private Properties countsOf(Class<?>... samples) throws IOException {
    LauncherDiscoveryRequest request =
        LauncherDiscoveryRequestBuilder.request()
            .selectors(Stream.of(samples).map(each -> selectClass(each)).toList())
            .build();
    LauncherConfig config =
        LauncherConfig.builder()
            .enableTestExecutionListenerAutoRegistration(false)
            .addTestExecutionListeners(new TestCounts(folder.toString()))
            .build();
    LauncherFactory.create(config).execute(request);
    List<Path> files;
    try (Stream<Path> found = Files.list(folder)) {
      files = found.toList();
    }
    assertThat(files).hasSize(1);
    Properties properties = new Properties();
    try (InputStream in = Files.newInputStream(files.get(0))) {
      properties.load(in);
    }
    return properties;
  }

  @EveryDatabase
  static class OnDatabases {

    @Test
    void passes() {}

    @Test
    @NotOn(value = DatabaseProduct.SQLITE, why = "to be counted")
    void failsOnPostgres(TestDatabase database) {
      assertThat(database.product()).isNotEqualTo(DatabaseProduct.POSTGRESQL);
    }
  }

  static class WithoutDatabase {

    @Test
    void passes() {}

    @Test
    void isAborted() {
      Assumptions.abort("to be counted");
    }

    @Test
    @Disabled("to be counted")
    void isSkipped() {}
  }

  static class Unbuildable {

    @BeforeAll
    static void fail() {
      throw new IllegalStateException("to be counted");
    }

    @Test
    void neverRuns() {}
  }
}
