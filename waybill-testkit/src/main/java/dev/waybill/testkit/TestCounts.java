package dev.waybill.testkit;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.platform.commons.support.AnnotationSupport;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.UniqueId;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/**
 * Counts what ran on which database and leaves one properties file per JVM, so that a run that left
 * something out cannot look like one that did not.
 */
public final class TestCounts implements TestExecutionListener {

  static final String FOLDER_PROPERTY = "waybill.counts.dir";

  private static final String NO_DATABASE = "no database";

  private final @Nullable Path folder;
  private final Map<String, Count> counts = new TreeMap<>();
  private @Nullable TestPlan plan;

  /** For the service loader. */
  public TestCounts() {
    this(System.getProperty(FOLDER_PROPERTY));
  }

  TestCounts(@Nullable String folder) {
    this.folder = folder == null || folder.isBlank() ? null : Path.of(folder);
  }

  @Override
  public synchronized void testPlanExecutionStarted(TestPlan started) {
    plan = started;
  }

  @Override
  public synchronized void executionSkipped(TestIdentifier identifier, String reason) {
    if (!Turn.isElsewhere(reason)) {
      countOf(identifier).skipped++;
    }
  }

  @Override
  public synchronized void executionFinished(
      TestIdentifier identifier, TestExecutionResult result) {
    TestExecutionResult.Status status = result.getStatus();
    if (status == TestExecutionResult.Status.ABORTED) {
      countOf(identifier).skipped++;
    } else if (identifier.isTest()) {
      countOf(identifier).executed++;
    }
    // A class that cannot begin fails without any of its tests.
    if (status == TestExecutionResult.Status.FAILED) {
      countOf(identifier).failed++;
    }
  }

  @Override
  public synchronized void testPlanExecutionFinished(TestPlan finished) {
    if (folder == null) {
      return;
    }
    try {
      Files.createDirectories(folder);
      String name =
          "%d-%x.properties"
              .formatted(ProcessHandle.current().pid(), System.identityHashCode(this));
      try (OutputStream out = Files.newOutputStream(folder.resolve(name))) {
        properties().store(out, null);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Properties properties() {
    Properties properties = new Properties();
    properties.setProperty("jvm", Runtime.version().toString());
    properties.setProperty("without", LeftOut.fromSystemProperty().toString());
    counts.forEach(
        (label, count) -> {
          String key = label.toLowerCase(Locale.ROOT).replace(' ', '-');
          properties.setProperty("label." + key, label);
          properties.setProperty("executed." + key, Integer.toString(count.executed));
          properties.setProperty("failed." + key, Integer.toString(count.failed));
          properties.setProperty("skipped." + key, Integer.toString(count.skipped));
        });
    return properties;
  }

  private Count countOf(TestIdentifier identifier) {
    return counts.computeIfAbsent(databaseOf(identifier), label -> new Count());
  }

  private String databaseOf(TestIdentifier identifier) {
    Optional<TestIdentifier> at = Optional.of(identifier);
    while (at.isPresent()) {
      if (isRunOnDatabase(at.get())) {
        return at.get().getDisplayName();
      }
      at = parentOf(at.get());
    }
    return NO_DATABASE;
  }

  private Optional<TestIdentifier> parentOf(TestIdentifier identifier) {
    return plan == null ? Optional.empty() : plan.getParent(identifier);
  }

  private boolean isRunOnDatabase(TestIdentifier identifier) {
    UniqueId.Segment last = identifier.getUniqueIdObject().getLastSegment();
    return last.getType().equals("class-template-invocation")
        && parentOf(identifier)
            .flatMap(TestIdentifier::getSource)
            .filter(ClassSource.class::isInstance)
            .map(source -> ((ClassSource) source).getJavaClass())
            .filter(type -> AnnotationSupport.isAnnotated(type, EveryDatabase.class))
            .isPresent();
  }

  private static final class Count {
    private int executed;
    private int failed;
    private int skipped;
  }
}
