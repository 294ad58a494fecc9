package dev.waybill.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

@Isolated("replaces System.err")
class ChildJvmTest {
  private static final Duration SOON = Duration.ofSeconds(60);

  @Test
  void passesArgumentsPropertiesAndEnvironment() throws Exception {
    try (var child =
        ChildJvm.of(Telling.class)
            .args("one", "zwölf")
            .jvmArgs("-enableassertions")
            .property("telling", "property")
            .env("TELLING", "environment")
            .start()) {
      assertThat(child.waitFor(SOON)).isEqualTo(3);
      assertThat(child.awaitLine("args", SOON)).isEqualTo("args [one, zwölf]");
      assertThat(child.awaitLine("a", 2, SOON)).isEqualTo("and property environment");
      assertThat(child.awaitLine("assertions", SOON)).isEqualTo("assertions true");
      assertThat(child.lines()).hasSize(3);
      assertThat(child.isAlive()).isFalse();
    }
  }

  @Test
  void failsAtOnceWhenTheChildEndsWithoutTheLine() {
    try (var child = ChildJvm.of(Telling.class).start()) {
      assertThatThrownBy(() -> child.awaitLine("never", SOON))
          .isInstanceOf(AssertionError.class)
          .hasMessageContaining("ended without line \"never\"")
          .hasMessageContaining("args []");
    }
  }

  @Test
  void echoesErrorsUnderItsName() throws Exception {
    var err = System.err;
    var captured = new ByteArrayOutputStream();
    System.setErr(new PrintStream(captured, true, StandardCharsets.UTF_8));
    try (var child = ChildJvm.of(Telling.class).name("teller").start()) {
      child.waitFor(SOON);
    } finally {
      System.setErr(err);
    }
    assertThat(captured.toString(StandardCharsets.UTF_8)).contains("[teller] on error: grün");
  }

  @Test
  void answersUntilKilled() throws Exception {
    try (var child = ChildJvm.of(Answering.class).start()) {
      child.awaitLine("ready", SOON);
      child.send("größer");
      assertThat(child.awaitLine("got", SOON)).isEqualTo("got größer");
      child.kill();
      assertThat(child.isAlive()).isFalse();
      assertThat(child.waitFor(SOON)).isEqualTo(137);
      assertThat(child.lines()).doesNotContain("hook");
    }
  }

  @Test
  void aPausedChildDoesNothingUntilResumed() throws Exception {
    try (var child = ChildJvm.of(Answering.class).start()) {
      child.awaitLine("ready", SOON);
      child.pause();
      child.send("early");
      assertThatThrownBy(() -> child.awaitLine("got", Duration.ofMillis(200)))
          .isInstanceOf(AssertionError.class)
          .hasMessageContaining("in vain");
      assertThat(child.isAlive()).isTrue();
      child.resume();
      assertThat(child.awaitLine("got", SOON)).isEqualTo("got early");
    }
  }

  @Test
  void closingEndsEvenAPausedChild() throws Exception {
    ProcessHandle process;
    try (var child = ChildJvm.of(Answering.class).start()) {
      child.awaitLine("ready", SOON);
      process = ProcessHandle.of(child.pid()).orElseThrow();
      child.pause();
    }
    assertThat(process.isAlive()).isFalse();
  }

  @Test
  void diesWithItsParentIfItsMainAsks() throws Exception {
    try (var parent = ChildJvm.of(Parent.class).start()) {
      var line = parent.awaitLine("grandchild ", SOON);
      long pid = Long.parseLong(line.substring("grandchild ".length()));
      var grandchild = ProcessHandle.of(pid).orElseThrow();
      try {
        assertThat(grandchild.isAlive()).isTrue();
        parent.kill();
        grandchild.onExit().get(60, TimeUnit.SECONDS);
      } finally {
        grandchild.destroyForcibly();
      }
    }
  }

  @Test
  void aSkewedChildLivesInAnotherHourButWaitsTrulyLong() throws Exception {
    for (var skew : new Duration[] {Duration.ofHours(1), Duration.ofMillis(-3_600_250)}) {
      try (var child = ChildJvm.of(Clock.class).skew(skew).start()) {
        long theirs = Long.parseLong(child.awaitLine("", SOON));
        long ours = System.currentTimeMillis();
        assertThat(theirs - ours).isCloseTo(skew.toMillis(), within(SOON.toMillis()));
        assertThat(Long.parseLong(child.awaitLine("", 2, SOON)))
            .as("milliseconds of a wait for 50")
            .isBetween(50L, SOON.toMillis());
        assertThat(child.waitFor(SOON)).isZero();
      }
    }
  }

  @Test
  void aSkewWithoutCompilerSaysWhatIsMissing(@TempDir Path empty) throws Exception {
    try (var child =
        ChildJvm.of(Skewing.class)
            .env("PATH", empty.toString())
            .property("java.io.tmpdir", empty.toString())
            .start()) {
      assertThat(child.awaitLine("failed", SOON)).contains("needs gcc on the PATH");
    }
  }

  static final class Skewing {
    public static void main(String[] args) {
      try (var child = ChildJvm.of(Clock.class).skew(Duration.ofHours(1)).start()) {
        System.out.println("started " + child);
      } catch (IllegalStateException e) {
        System.out.println("failed " + e.getMessage());
      }
    }
  }

  static final class Telling {
    public static void main(String[] args) {
      System.out.println("args " + List.of(args));
      System.out.println("and " + System.getProperty("telling") + " " + System.getenv("TELLING"));
      System.out.println("assertions " + Telling.class.desiredAssertionStatus());
      System.err.println("on error: grün");
      System.exit(3);
    }
  }

  static final class Answering {
    public static void main(String[] args) throws InterruptedException {
      Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("hook")));
      ChildJvm.exitWithParent(line -> System.out.println("got " + line));
      System.out.println("ready");
      new CountDownLatch(1).await();
    }
  }

  static final class Parent {
    public static void main(String[] args) throws InterruptedException {
      ChildJvm.exitWithParent();
      var child = ChildJvm.of(Answering.class).start();
      child.awaitLine("ready", SOON);
      System.out.println("grandchild " + child.pid());
      new CountDownLatch(1).await();
    }
  }

  static final class Clock {
    public static void main(String[] args) throws InterruptedException {
      System.out.println(System.currentTimeMillis());
      long start = System.nanoTime();
      if (new CountDownLatch(1).await(50, TimeUnit.MILLISECONDS)) {
        throw new IllegalStateException("nobody counts down");
      }
      System.out.println(Duration.ofNanos(System.nanoTime() - start).toMillis());
    }
  }
}
