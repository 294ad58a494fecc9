package dev.waybill.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class EnqueueMessageTest {
  private static final EnqueueMessage PLAIN = EnqueueMessage.of("order.placed", "{}");

  @Test
  void hasATypeAndAPayloadAndNothingElse() {
    assertThat(PLAIN.type()).isEqualTo("order.placed");
    assertThat(PLAIN.payload()).asString(StandardCharsets.UTF_8).isEqualTo("{}");
    assertThat(PLAIN.partition()).isNull();
    assertThat(PLAIN.key()).isNull();
    assertThat(PLAIN.headers()).isEmpty();
    assertThat(PLAIN.deliverAt()).isNull();
    assertThat(PLAIN.delay()).isNull();
    assertThat(PLAIN.dedupKey()).isNull();
  }

  @Test
  void eachMethodReturnsAChangedCopy() {
    var full =
        PLAIN
            .partition(3)
            .key("k")
            .header("a", "1")
            .header("b", "2")
            .header("a", "3")
            .dedupKey("d");
    assertThat(full.partition()).isEqualTo(3);
    assertThat(full.key()).isEqualTo("k");
    assertThat(full.headers()).containsExactly(entry("a", "3"), entry("b", "2"));
    assertThat(full.dedupKey()).isEqualTo("d");
    assertThat(PLAIN.headers()).isEmpty();
    assertThat(PLAIN.key()).isNull();
    assertThatThrownBy(() -> full.headers().clear())
        .isInstanceOf(UnsupportedOperationException.class);
  }

  @Test
  void ofDelayAndMomentTheLastOneCounts() {
    var at = PLAIN.delay(Duration.ofSeconds(5)).deliverAt(Instant.EPOCH);
    assertThat(at.delay()).isNull();
    assertThat(at.deliverAt()).isEqualTo(Instant.EPOCH);
    var delayed = at.delay(Duration.ofSeconds(5));
    assertThat(delayed.delay()).isEqualTo(Duration.ofSeconds(5));
    assertThat(delayed.deliverAt()).isNull();
  }

  @Test
  void ownsItsPayload() {
    byte[] bytes = {1, 2, 3};
    var message = EnqueueMessage.of("t", bytes);
    bytes[0] = 9;
    message.payload()[1] = 9;
    assertThat(message.payload()).containsExactly(1, 2, 3);
    assertThat(message.payloadSize()).isEqualTo(3);
  }

  @Test
  void textIsStoredAsUtf8OrRefused() {
    assertThat(EnqueueMessage.of("t", "ä😀").payloadSize()).isEqualTo(6);
    assertThat(EnqueueMessage.of("t", "").payloadSize()).isZero();
    assertThatThrownBy(() -> EnqueueMessage.of("t", "secret \ud83d"))
        .isInstanceOf(InvalidMessageException.InvalidPayload.class)
        .hasMessageNotContaining("secret");
  }

  @Test
  @SuppressWarnings({"NullAway", "DataFlowIssue"}) // The point of the test.
  void nullIsRefusedByName() {
    assertThatNullPointerException().isThrownBy(() -> EnqueueMessage.of(null, "x"));
    assertThatNullPointerException()
        .isThrownBy(() -> EnqueueMessage.of("t", (String) null))
        .withMessage("payload");
    assertThatNullPointerException()
        .isThrownBy(() -> EnqueueMessage.of("t", (byte[]) null))
        .withMessage("payload");
    assertThatNullPointerException().isThrownBy(() -> PLAIN.key(null)).withMessage("key");
    assertThatNullPointerException()
        .isThrownBy(() -> PLAIN.header("a", null))
        .withMessage("header value");
    assertThatNullPointerException().isThrownBy(() -> PLAIN.header(null, "a"));
    assertThatNullPointerException().isThrownBy(() -> PLAIN.dedupKey(null));
    assertThatNullPointerException().isThrownBy(() -> PLAIN.delay(null));
    assertThatNullPointerException().isThrownBy(() -> PLAIN.deliverAt(null));
  }

  @Test
  void showsNeitherPayloadNorKeyNorHeaders() {
    assertThat(EnqueueMessage.of("t", "secret").key("secret").header("a", "secret"))
        .hasToString("EnqueueMessage[t, 6 bytes]");
  }
}
