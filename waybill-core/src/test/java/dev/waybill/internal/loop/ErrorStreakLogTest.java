package dev.waybill.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ErrorStreakLogTest {
  private final LogCapture capture = new LogCapture(ErrorStreakLogTest.class);
  private final ManualTime time = new ManualTime();
  private final ErrorStreakLog streaks = new ErrorStreakLog(capture.logger(), time);

  @AfterEach
  void release() {
    capture.close();
  }

  @Test
  void startAndStopAreDebug() {
    streaks.started("vacuum");
    streaks.stopped("vacuum");
    assertThat(capture.linesAt(Level.DEBUG)).containsExactly("vacuum started", "vacuum stopped");
  }

  @Test
  void aRunIsTrace() {
    streaks.completed("vacuum", Duration.ofMillis(3), Next.sleep(Duration.ofSeconds(1)));
    assertThat(capture.linesAt(Level.TRACE))
        .containsExactly("vacuum took PT0.003S, next: sleep PT1S");
  }

  @Test
  void theFirstFailureOfAStreakIsAWarningOnOneLine() {
    streaks.failed(
        "vacuum",
        new IllegalStateException("no connection\n  Hint: is it up?"),
        1,
        Duration.ofMillis(5),
        Duration.ofMillis(100));
    assertThat(capture.linesAt(Level.WARN))
        .containsExactly(
            "vacuum failed (1 in a row), retrying in PT0.1S:"
                + " java.lang.IllegalStateException: no connection Hint: is it up?");
    assertThat(capture.events())
        .filteredOn(event -> event.getLevel() == Level.WARN)
        .allSatisfy(event -> assertThat(event.getThrowableProxy()).isNull());
  }

  @Test
  void anExceptionWithoutAMessageIsNamed() {
    fail(new IllegalStateException(), 1);
    assertThat(capture.linesAt(Level.WARN))
        .singleElement()
        .asString()
        .endsWith(": java.lang.IllegalStateException");
  }

  @Test
  void aStreakIsRememberedEverMoreRarely() {
    for (int failures = 1; failures <= 1000; failures++) {
      fail(new IllegalStateException("still"), failures);
    }
    assertThat(capture.linesAt(Level.WARN))
        .hasSize(8)
        .allMatch(line -> line.matches(".*\\((1|8|16|32|64|128|256|512) in a row\\).*"));
    assertThat(capture.linesAt(Level.DEBUG)).hasSize(1000);
  }

  @Test
  void everyFailureHasItsStackTraceAtDebug() {
    fail(new IllegalStateException("a"), 1);
    fail(new IllegalStateException("b"), 2);
    assertThat(capture.events())
        .filteredOn(event -> event.getLevel() == Level.DEBUG)
        .hasSize(2)
        .extracting(ILoggingEvent::getThrowableProxy)
        .doesNotContainNull();
  }

  @Test
  void anErrorIsLoudAtAnyTime() {
    fail(new NoClassDefFoundError("gone"), 3);
    assertThat(capture.linesAt(Level.ERROR)).hasSize(1);
    assertThat(capture.events().get(0).getThrowableProxy()).isNotNull();
  }

  @Test
  void recoveryIsSaidOnce() {
    streaks.recovered("vacuum", 12, Duration.ofSeconds(40));
    assertThat(capture.linesAt(Level.INFO))
        .containsExactly("vacuum works again after 12 failures in PT40S");
  }

  @Test
  void whoFailsAgainSoonAfterItsRecoveryGoesOnWithItsStreak() {
    for (int i = 1; i <= 9; i++) {
      fail(new IllegalStateException("flaps"), 1);
      streaks.recovered("vacuum", 1, Duration.ofSeconds(1));
      time.advance(Duration.ofSeconds(9));
    }
    assertThat(capture.linesAt(Level.WARN))
        .extracting(line -> line.replaceAll(",.*", ""))
        .containsExactly(
            "vacuum failed (1 in a row)", "vacuum failed (8 times in short succession)");
    assertThat(capture.linesAt(Level.INFO)).hasSize(1);
    time.advance(Duration.ofSeconds(1));
    fail(new IllegalStateException("a new one"), 1);
    assertThat(capture.linesAt(Level.WARN)).hasSize(3);
  }

  private void fail(Throwable error, int failures) {
    streaks.failed("vacuum", error, failures, Duration.ZERO, Duration.ofSeconds(30));
  }
}
