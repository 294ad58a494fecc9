package dev.waybill.internal.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.waybill.outbox.EnqueueMessage;
import dev.waybill.outbox.InvalidMessageException;
import dev.waybill.outbox.InvalidMessageException.InvalidDedupKey;
import dev.waybill.outbox.InvalidMessageException.InvalidDeliveryTime;
import dev.waybill.outbox.InvalidMessageException.InvalidHeader;
import dev.waybill.outbox.InvalidMessageException.InvalidKey;
import dev.waybill.outbox.InvalidMessageException.InvalidMessageType;
import dev.waybill.outbox.InvalidMessageException.PartitionAndKey;
import dev.waybill.outbox.InvalidMessageException.PartitionOutOfRange;
import dev.waybill.outbox.InvalidMessageException.PartitionRequired;
import dev.waybill.outbox.InvalidMessageException.PayloadTooLarge;
import dev.waybill.outbox.OutboxException;
import dev.waybill.outbox.OutboxException.InvalidQueueName;
import dev.waybill.outbox.OutboxException.InvalidSetting;
import dev.waybill.outbox.OutboxException.QueueNotRegistered;
import dev.waybill.outbox.Partitions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ValidationTest {
  private static final EnqueueMessage GOOD = EnqueueMessage.of("t", "x").partition(0);
  private static final Map<String, Partitions> QUEUES =
      Map.of("one", Partitions.of(1), "four", Partitions.of(4));

  private final Validation validation = new Validation(Validation.DEFAULT_MAX_PAYLOAD);

  @ParameterizedTest
  @ValueSource(strings = {"orders", "my-app.orders_v2", "a", "0", "OrdersV2", "a..b"})
  void acceptsQueueNames(String name) {
    assertThatCode(() -> Validation.queueName(name)).doesNotThrowAnyException();
  }

  @Test
  void acceptsAQueueNameOf1024CharactersAndNoMore() {
    assertThatCode(() -> Validation.queueName("a".repeat(1024))).doesNotThrowAnyException();
    assertThatThrownBy(() -> Validation.queueName("a".repeat(1025)))
        .isInstanceOf(InvalidQueueName.class)
        .hasMessageContaining("has 1025 characters")
        .hasMessageNotContaining("a".repeat(100));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        ".orders",
        "orders-",
        "_a",
        "a_",
        "or\0ders",
        "my orders",
        "größe",
        "a/b",
        "a\nb",
        "a'b"
      })
  void refusesQueueNames(String name) {
    assertThatThrownBy(() -> Validation.queueName(name))
        .isInstanceOfSatisfying(InvalidQueueName.class, e -> assertThat(e.queue()).isEqualTo(name))
        .message()
        .doesNotContainPattern("\\p{Cntrl}");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"order.placed", "application/json", "text/plain; charset=utf-8", " ", "~"})
  void acceptsTypes(String type) {
    assertThat(check(EnqueueMessage.of(type, "x"))).isZero();
    assertThat(check(EnqueueMessage.of("t".repeat(1024), "x"))).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a\0b", "a\nb", "a\u0007b", "a\u007f", "naïve", "😀"})
  void refusesTypes(String type) {
    assertRefused(InvalidMessageType.class, EnqueueMessage.of(type, "x"));
    assertRefused(InvalidMessageType.class, EnqueueMessage.of("t".repeat(1025), "x"));
  }

  @Test
  void aPayloadHasAtMost64KiB() {
    assertThat(check(EnqueueMessage.of("t", new byte[65_536]))).isZero();
    assertThat(check(EnqueueMessage.of("t", ""))).isZero();
    assertThatThrownBy(() -> check(EnqueueMessage.of("t", new byte[65_537])))
        .isInstanceOfSatisfying(
            PayloadTooLarge.class,
            e -> {
              assertThat(e.size()).isEqualTo(65_537);
              assertThat(e.max()).isEqualTo(65_536);
            });
  }

  @Test
  void thePayloadLimitIsASettingInBytes() {
    var small = new Validation(3);
    assertThat(small.check("one", List.of(EnqueueMessage.of("t", "abc")), QUEUES::get))
        .containsExactly(0);
    assertThatThrownBy(() -> small.check("one", List.of(EnqueueMessage.of("t", "ää")), QUEUES::get))
        .isInstanceOf(PayloadTooLarge.class);
    assertThatThrownBy(() -> new Validation(0)).isInstanceOf(InvalidSetting.class);
  }

  @Test
  void acceptsHeaders() {
    assertThat(
            check(
                GOOD.header("traceparent", "00-0af7651916cd43dd8448eb211c80319c-01")
                    .header("x_y.z-1", "")
                    .header("greeting", "Grüße 😀")
                    .header("n".repeat(255), "x")))
        .isZero();
  }

  @Test
  void refusesHeaders() {
    assertRefused(InvalidHeader.class, GOOD.header("", "x"));
    assertRefused(InvalidHeader.class, GOOD.header("n".repeat(256), "x"));
    assertRefused(InvalidHeader.class, GOOD.header("a b", "x"));
    assertRefused(InvalidHeader.class, GOOD.header("ä", "x"));
    assertRefused(InvalidHeader.class, GOOD.header("a", "secret\0"));
    assertRefused(InvalidHeader.class, GOOD.header("a", "secret\r\nb: c"));
    assertRefused(InvalidHeader.class, GOOD.header("a", "secret\udc00"));
  }

  @Test
  void headersAreBoundedInNumberAndBytes() {
    EnqueueMessage many =
        IntStream.range(0, 64).boxed().reduce(GOOD, (m, i) -> m.header("h" + i, ""), (a, b) -> b);
    assertThat(check(many)).isZero();
    assertRefused(InvalidHeader.class, many.header("one-more", ""));
    assertThat(check(GOOD.header("h", "x".repeat(8191)))).isZero();
    assertRefused(InvalidHeader.class, GOOD.header("h", "x".repeat(8192)));
    assertRefused(InvalidHeader.class, GOOD.header("h", "ä".repeat(4096)));
  }

  @Test
  void keysAreTextOf1To1024Bytes() {
    var plain = EnqueueMessage.of("t", "x");
    assertThat(check(plain.key("k".repeat(1024)).dedupKey("😀".repeat(256)))).isZero();
    for (String bad : List.of("", "secret\0", "k".repeat(1025), "😀".repeat(257), "secret\ud800")) {
      assertRefused(InvalidKey.class, plain.key(bad));
      assertRefused(InvalidDedupKey.class, plain.dedupKey(bad));
    }
  }

  @Test
  void deliveryTimesAreBounded() {
    assertThat(check(GOOD.delay(Duration.ZERO))).isZero();
    assertThat(check(GOOD.deliverAt(Instant.MIN))).isZero();
    assertRefused(InvalidDeliveryTime.class, GOOD.delay(Duration.ofNanos(-1)));
    assertRefused(InvalidDeliveryTime.class, GOOD.delay(Duration.ofDays(36_501)));
    assertRefused(InvalidDeliveryTime.class, GOOD.deliverAt(Instant.MAX));
  }

  @Test
  void aPartitionNumberIsTakenAsItIs() {
    assertThat(at("four", GOOD.partition(0), GOOD.partition(3), GOOD.partition(1)))
        .containsExactly(0, 3, 1);
  }

  @Test
  void aPartitionBeyondTheLastIsOutOfRange() {
    assertThatThrownBy(() -> at("four", GOOD.partition(4)))
        .isInstanceOfSatisfying(
            PartitionOutOfRange.class,
            e -> {
              assertThat(e.partition()).isEqualTo(4);
              assertThat(e.count()).isEqualTo(4);
            });
    assertThatThrownBy(() -> at("four", GOOD.partition(-1)))
        .isInstanceOf(PartitionOutOfRange.class);
  }

  @Test
  void aKeyDecidesThePartition() {
    var keyed = EnqueueMessage.of("t", "x").key("customer-2");
    assertThat(at("four", keyed)).containsExactly(3);
    assertThat(at("one", keyed)).containsExactly(0);
    assertThatThrownBy(() -> at("four", keyed.partition(3))).isInstanceOf(PartitionAndKey.class);
  }

  @Test
  void withoutEitherThereMustBeOnlyOnePartition() {
    var bare = EnqueueMessage.of("t", "x");
    assertThat(at("one", bare)).containsExactly(0);
    assertThatThrownBy(() -> at("four", bare)).isInstanceOf(PartitionRequired.class);
  }

  @Test
  void aQueueMustBeRegisteredAlsoForNoMessages() {
    assertThatThrownBy(() -> at("One", GOOD))
        .isInstanceOf(QueueNotRegistered.class)
        .hasMessageContaining("'One'");
    assertThatThrownBy(() -> at("five")).isInstanceOf(QueueNotRegistered.class);
    assertThat(at("four")).isEmpty();
  }

  @Test
  void oneBadMessageRefusesAllAndIsNamed() {
    assertThatThrownBy(() -> at("four", GOOD, GOOD, GOOD.partition(9)))
        .isInstanceOfSatisfying(PartitionOutOfRange.class, e -> assertThat(e.index()).isEqualTo(2));
    assertThatThrownBy(() -> at("four", GOOD, EnqueueMessage.of("t", new byte[65_537])))
        .isInstanceOfSatisfying(PayloadTooLarge.class, e -> assertThat(e.index()).isEqualTo(1));
  }

  @Test
  void theOrderIsNameTypeSizeHeadersKeysQueuePartition() {
    var wrong = EnqueueMessage.of("", new byte[65_537]).header("", "").key("").partition(-1);
    assertThatThrownBy(() -> at("!", wrong)).isInstanceOf(InvalidQueueName.class);
    assertThatThrownBy(() -> at("none", wrong)).isInstanceOf(InvalidMessageType.class);
    var typed = EnqueueMessage.of("t", new byte[65_537]).header("", "").key("").partition(-1);
    assertThatThrownBy(() -> at("none", typed)).isInstanceOf(PayloadTooLarge.class);
    var sized = EnqueueMessage.of("t", "").header("", "").key("").partition(-1);
    assertThatThrownBy(() -> at("none", sized)).isInstanceOf(InvalidHeader.class);
    var headed = EnqueueMessage.of("t", "").key("").partition(-1);
    assertThatThrownBy(() -> at("none", headed)).isInstanceOf(InvalidKey.class);
    var last = EnqueueMessage.of("t", "").partition(-1);
    assertThatThrownBy(() -> at("none", last)).isInstanceOf(QueueNotRegistered.class);
    assertThatThrownBy(() -> at("four", last)).isInstanceOf(PartitionOutOfRange.class);
  }

  private int check(EnqueueMessage message) {
    return at("one", message)[0];
  }

  private int[] at(String queue, EnqueueMessage... messages) {
    return validation.check(queue, List.of(messages), QUEUES::get);
  }

  private void assertRefused(
      Class<? extends InvalidMessageException> type, EnqueueMessage message) {
    assertThatThrownBy(() -> check(message))
        .isInstanceOf(type)
        .isInstanceOf(OutboxException.class)
        .hasMessageStartingWith("Message 0: ")
        .hasMessageNotContaining("secret");
  }
}
