package dev.waybill.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.waybill.job.JobException.InvalidRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is refused before any SQL. */
class JobRequestTest {
  private static void refused(String field, UnaryOperator<JobRequest.Builder> change) {
    assertThatThrownBy(() -> change.apply(JobRequest.of("mail")).build())
        .isInstanceOfSatisfying(
            InvalidRequest.class,
            e -> {
              assertThat(e.field()).isEqualTo(field);
              assertThat(e.code()).isEqualTo("job.invalid_" + field);
              assertThat(e.category()).isEqualTo(JobException.Category.VALIDATION);
            });
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "a b", "-a", "a-", "ä", "a\n", "a;b"})
  void aTypeIsAName(String type) {
    assertThatThrownBy(() -> JobRequest.of(type).build()).isInstanceOf(InvalidRequest.class);
  }

  /** Also what Java does not call blank: no-break spaces and NEL. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "\t",
        "\u00a0",
        "\u2007\u202f",
        "\u0085",
        "\u3000",
        " k",
        "k\u00a0",
        "a\u0000b",
        "\ud800"
      })
  void aKeyIsTextWithoutSpaceAround(String key) {
    refused("idempotency_key", request -> request.idempotencyKey(key));
    refused("resource_key", request -> request.resourceKey(key));
    refused("unique_key", request -> request.uniqueWhileActive(key));
    refused("stage", request -> request.stage(key));
    refused("tenant", request -> request.scope(Scope.tenant(key)));
  }

  @Test
  void lengthsAreBytes() {
    JobRequest.of("mail").idempotencyKey("é".repeat(256)).build();
    refused("idempotency_key", request -> request.idempotencyKey("é".repeat(256) + "x"));
  }

  @Test
  void numbersAndTimesHaveBounds() {
    refused("priority", request -> request.priority(1_000_001));
    refused("priority", request -> request.priority(Integer.MIN_VALUE));
    refused("max_attempts", request -> request.maxAttempts(0));
    refused("timeout", request -> request.timeout(Duration.ZERO));
    refused("timeout", request -> request.timeout(Duration.ofSeconds(Long.MAX_VALUE)));
    refused("delay", request -> request.delay(Duration.ofSeconds(-1)));
    refused("delay", request -> request.delay(Duration.ofSeconds(Long.MAX_VALUE)));
    refused("due_at", request -> request.dueAt(Instant.MAX));
    refused("due_at", request -> request.dueAt(Instant.MIN));
    refused("due_at", request -> request.dueAt(Instant.EPOCH).delay(Duration.ZERO));
    refused("scope", request -> request.scope(Scope.admin()));
    refused("replace_pending", request -> request.replacePending("k").idempotencyKey("other"));
  }
}
