package dev.waybill.internal.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Several messages as bytes: of each the type, the key, the headers and the payload, every one of
 * them with its length before it. The length is one more than it is, in groups of seven bits,
 * lowest first, the high bit saying that more follow; 0 stands for what is not there.
 */
final class PackedMessages {
  private PackedMessages() {}

  /** One message; those of several are put one behind the other. */
  static byte[] pack(NewMessage message) {
    var bytes = new ByteArrayOutputStream(message.payload().length + 64);
    put(bytes, utf8(message.type()));
    put(bytes, utf8(message.key()));
    put(bytes, utf8(HeaderLines.write(message.headers())));
    put(bytes, message.payload());
    return bytes.toByteArray();
  }

  private static byte @Nullable [] utf8(@Nullable String text) {
    return text == null ? null : text.getBytes(UTF_8);
  }

  private static void put(ByteArrayOutputStream bytes, byte @Nullable [] piece) {
    int length = piece == null ? 0 : piece.length + 1;
    while (length > 0x7F) {
      bytes.write((length & 0x7F) | 0x80);
      length >>>= 7;
    }
    bytes.write(length);
    if (piece != null) {
      bytes.writeBytes(piece);
    }
  }

  /** So many messages in their order, or none if the bytes are damaged. */
  static List<MessageBody> unpack(byte[] bytes, int count, Instant createdAt) {
    ByteBuffer from = ByteBuffer.wrap(bytes);
    List<MessageBody> messages = new ArrayList<>(count);
    try {
      for (int i = 0; i < count; i++) {
        String type = text(take(from));
        String key = text(take(from));
        String headers = text(take(from));
        byte[] payload = take(from);
        if (type == null || payload == null) {
          return List.of();
        }
        messages.add(new MessageBody(type, payload, HeaderLines.read(headers), key, createdAt));
      }
    } catch (BufferUnderflowException e) {
      return List.of();
    }
    return from.hasRemaining() ? List.of() : messages;
  }

  private static @Nullable String text(byte @Nullable [] piece) {
    return piece == null ? null : new String(piece, UTF_8);
  }

  private static byte @Nullable [] take(ByteBuffer from) {
    long length = 0;
    byte group;
    int shift = 0;
    do {
      group = from.get();
      length |= (long) (group & 0x7F) << shift;
      shift += 7;
    } while (group < 0 && shift < 35);
    if (length == 0) {
      return null;
    }
    if (group < 0 || length - 1 > from.remaining()) {
      throw new BufferUnderflowException();
    }
    byte[] piece = new byte[(int) length - 1];
    from.get(piece);
    return piece;
  }
}
