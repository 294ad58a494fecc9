package dev.waybill.internal.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class PackedMessagesTest {
  private static NewMessage message(
      @Nullable String key, Map<String, String> headers, byte[] body) {
    return new NewMessage(1, "order.placed", key, headers, body, null, null);
  }

  private static byte[] packed(List<NewMessage> messages) {
    var bytes = new ByteArrayOutputStream();
    messages.forEach(each -> bytes.writeBytes(PackedMessages.pack(each)));
    return bytes.toByteArray();
  }

  @Test
  void messagesComeOutAsTheyWentIn() {
    byte[] long1 = "x".repeat(300).getBytes(UTF_8);
    List<NewMessage> all =
        List.of(
            message(null, Map.of(), new byte[0]),
            message("", Map.of("a", "b"), new byte[] {0, 1, -1}),
            message("Schlüssel", Map.of(), long1));

    List<MessageBody> out = PackedMessages.unpack(packed(all), 3, Instant.EPOCH);

    assertThat(out).extracting(MessageBody::key).containsExactly(null, "", "Schlüssel");
    assertThat(out.get(1).headers()).isEqualTo(Map.of("a", "b"));
    assertThat(out.get(1).payload()).containsExactly(0, 1, -1);
    assertThat(out.get(0).payload()).isEmpty();
    assertThat(out.get(2).payload()).isEqualTo(long1);
    assertThat(out).extracting(MessageBody::type).containsOnly("order.placed");
  }

  @Test
  void ofWhatIsDamagedNothingIsTold() {
    byte[] bytes = packed(Collections.nCopies(2, message("k", Map.of(), new byte[9])));
    for (int length = 0; length < bytes.length; length++) {
      assertThat(PackedMessages.unpack(Arrays.copyOf(bytes, length), 2, Instant.EPOCH)).isEmpty();
    }
    byte[] more = Arrays.copyOf(bytes, bytes.length + 1);
    assertThat(PackedMessages.unpack(more, 2, Instant.EPOCH)).isEmpty();
    byte[] odd = {-1, -1, -1, -1, -1, -1};
    assertThat(PackedMessages.unpack(odd, 2, Instant.EPOCH)).isEmpty();
  }
}
