package dev.waybill.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.waybill.schema.Schema;
import dev.waybill.testkit.TestDatabase;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

/**
 * Commands at a real terminal, which {@code script} of util-linux makes. On SQLite alone: no
 * database has a say in this.
 */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class InteractiveIT {
  private static final Path SCRIPT = Path.of("/usr/bin/script");

  private final TestDatabase database = TestDatabase.inFile();

  @BeforeEach
  void prepare() {
    assumeTrue(
        Files.isExecutable(SCRIPT),
        "No /usr/bin/script of util-linux: nothing here makes a terminal.");
    Schema.migrate(database.dataSource());
  }

  @AfterEach
  void close() {
    database.close();
  }

  /** Somebody at a terminal. */
  private final class Terminal implements AutoCloseable {
    private final Process process;
    private final InputStream screen;
    private final OutputStream keyboard;
    private final StringBuilder seen = new StringBuilder();

    Terminal(String command) throws IOException {
      String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
      ProcessBuilder builder =
          new ProcessBuilder(
              SCRIPT.toString(),
              "--quiet",
              "--return",
              "--command",
              // Whoever runs the tests in the background has them ignore Ctrl-C.
              "stty rows 24 cols 80; exec env --default-signal=INT "
                  + java
                  + " -XX:TieredStopAtLevel=1 -jar target/waybill.jar "
                  + command
                  + " --url '"
                  + database.url()
                  + "'",
              "/dev/null");
      builder.environment().put("TERM", "xterm");
      process = builder.redirectErrorStream(true).start();
      screen = process.getInputStream();
      keyboard = process.getOutputStream();
    }

    void sees(String text) throws IOException {
      while (seen.indexOf(text) < 0) {
        int next = screen.read();
        assertThat(next).as("the screen shows '%s', then ends: %s", text, seen).isNotEqualTo(-1);
        seen.append((char) next);
      }
    }

    void types(String text) throws IOException {
      keyboard.write(text.getBytes(StandardCharsets.US_ASCII));
      keyboard.flush();
    }

    int ends() throws IOException, InterruptedException {
      seen.append(new String(screen.readAllBytes(), StandardCharsets.UTF_8));
      assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
      return process.exitValue();
    }

    @Override
    public void close() {
      process.destroyForcibly();
    }
  }

  @Test
  void aChangeIsMadeOnlyIfSomebodyAgrees() throws Exception {
    try (Terminal terminal = new Terminal("dead-letters discard --queue mail")) {
      terminal.sees("This will discard 0 dead letters. Go on? [y/N] ");
      terminal.types("n\n");
      terminal.sees("nothing was changed");
      assertThat(terminal.ends()).isEqualTo(1);
    }
    try (Terminal terminal = new Terminal("dead-letters discard --queue mail")) {
      terminal.sees("[y/N] ");
      terminal.types("yes\n");
      terminal.sees("Discarded 0.");
      assertThat(terminal.ends()).isZero();
    }
  }

  @Test
  void theStatusIsWatchedUntilSomebodyHasSeenEnough() throws Exception {
    try (Terminal terminal = new Terminal("status --watch")) {
      terminal.sees("No queue was ever registered here.");
      terminal.sees("\033[H\033[2J");
      terminal.types("\003");
      assertThat(terminal.ends()).isEqualTo(130);
    }
  }

  @Test
  void theDoctorSpeaksInColours() throws Exception {
    try (Terminal terminal = new Terminal("doctor")) {
      terminal.sees("\033[32mok");
      terminal.sees("Nothing is wrong.");
      assertThat(terminal.ends()).isZero();
    }
  }
}
