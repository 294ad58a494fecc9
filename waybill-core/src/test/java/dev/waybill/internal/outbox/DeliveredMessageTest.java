package dev.waybill.internal.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.waybill.outbox.OutboxException.NotText;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DeliveredMessageTest {
  @Test
  void saysAllThatAHandlerNeeds() {
    var message = Messages.message(5, "Grüße".getBytes(StandardCharsets.UTF_8));
    assertThat(message.queue()).isEqualTo("orders");
    assertThat(message.partition()).isEqualTo(2);
    assertThat(message.seq()).isEqualTo(5);
    assertThat(message.id()).isEqualTo(105);
    assertThat(message.type()).isEqualTo("t");
    assertThat(message.text()).isEqualTo("Grüße");
    assertThat(message.headers()).isEqualTo(Map.of("h", "v"));
    assertThat(message.key()).isEqualTo("k");
    assertThat(message.createdAt()).isEqualTo(Instant.EPOCH);
    assertThat(message.attempts()).isZero();
  }

  @Test
  void aHandlerCannotChangeIt() {
    var message = Messages.message(1, new byte[] {1, 2});
    message.payload()[0] = 9;
    assertThat(message.payload()).containsExactly(1, 2);
    assertThatThrownBy(() -> message.headers().clear())
        .isInstanceOf(UnsupportedOperationException.class);
  }

  @Test
  void bytesThatAreNoTextAreNotMadeUp() {
    assertThatThrownBy(() -> Messages.message(1, new byte[] {(byte) 0xff}).text())
        .isInstanceOf(NotText.class)
        .hasMessageContaining("orders/2/1");
  }

  @Test
  void showsItsPlaceAndNotItsContent() {
    assertThat(Messages.message(5, "secret".getBytes(StandardCharsets.UTF_8)))
        .hasToString("orders/2/5 (t, 6 bytes)");
  }
}
