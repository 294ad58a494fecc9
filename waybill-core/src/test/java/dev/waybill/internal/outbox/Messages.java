package dev.waybill.internal.outbox;

import dev.waybill.internal.store.MessageBody;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;

/** Messages for tests. */
final class Messages {
  private Messages() {}

  /** Messages 1, 2, 3, … of one partition. */
  static List<DeliveredMessage> several(int count) {
    return LongStream.rangeClosed(1, count)
        .mapToObj(seq -> message(seq, ("m" + seq).getBytes(StandardCharsets.UTF_8)))
        .toList();
  }

  static DeliveredMessage message(long seq, byte[] payload) {
    var body = new MessageBody("t", payload, Map.of("h", "v"), "k", Instant.EPOCH);
    return new DeliveredMessage("orders", 2, seq, 100 + seq, body, 0);
  }
}
