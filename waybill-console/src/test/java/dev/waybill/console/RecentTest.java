package dev.waybill.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class RecentTest {
  private static final Duration AGE = Duration.ofSeconds(1);

  private final AtomicLong clock = new AtomicLong();
  private final Recent recent = new Recent(clock::get);
  private final AtomicInteger asked = new AtomicInteger();

  private String ask(String key, int length) throws Exception {
    return recent.get(
        key,
        AGE,
        () -> {
          asked.incrementAndGet();
          return "x".repeat(length);
        });
  }

  private void pass(Duration time) {
    clock.addAndGet(time.toNanos());
  }

  @Test
  void anAnswerIsGivenAgainWhileItIsYoung() throws Exception {
    ask("jobs", 5);
    pass(AGE);
    ask("jobs", 5);
    assertThat(asked).hasValue(1);
    pass(Duration.ofNanos(1));
    ask("jobs", 5);
    assertThat(asked).hasValue(2);
  }

  @Test
  void whatIsTooOldIsNotKeptEvenIfNobodyAsksForItAgain() throws Exception {
    for (int i = 0; i < 50; i++) {
      ask("jobs/" + i, 1_000);
    }
    assertThat(recent.chars()).isEqualTo(50_000);
    pass(AGE.plusNanos(1));
    ask("queues", 10);
    assertThat(recent.size()).isEqualTo(1);
    assertThat(recent.chars()).isEqualTo(10);
  }

  @Test
  void allTogetherAreNotLargerThanTheyMayBe() throws Exception {
    int each = 1 << 20;
    for (int i = 0; i < 10; i++) {
      assertThat(ask("jobs/" + i, each)).hasSize(each);
      assertThat(recent.chars()).isLessThanOrEqualTo(Recent.MOST_CHARS);
    }
    assertThat(recent.size()).isEqualTo(4);
    assertThat(ask("huge", (int) Recent.MOST_CHARS + 1)).hasSize((int) Recent.MOST_CHARS + 1);
    assertThat(recent.size()).as("one that is too large alone is not kept").isZero();
    assertThat(recent.chars()).isZero();
  }

  @Test
  void thereAreNotManyAndOneThatFailedCountsForNothing() throws Exception {
    for (int i = 0; i < 300; i++) {
      ask("jobs/" + i, 1);
    }
    assertThat(recent.size()).isEqualTo(200);
    assertThatThrownBy(
            () ->
                recent.get(
                    "bad",
                    AGE,
                    () -> {
                      throw new IllegalStateException("gone");
                    }))
        .hasMessage("gone");
    recent.forget();
    assertThat(recent.size()).isZero();
    assertThat(recent.chars()).isZero();
  }
}
