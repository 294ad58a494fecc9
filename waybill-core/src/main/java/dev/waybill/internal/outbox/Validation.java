package dev.waybill.internal.outbox;

import dev.waybill.outbox.EnqueueMessage;
import dev.waybill.outbox.InvalidMessageException.InvalidDedupKey;
import dev.waybill.outbox.InvalidMessageException.InvalidDeliveryTime;
import dev.waybill.outbox.InvalidMessageException.InvalidHeader;
import dev.waybill.outbox.InvalidMessageException.InvalidKey;
import dev.waybill.outbox.InvalidMessageException.InvalidMessageType;
import dev.waybill.outbox.InvalidMessageException.PartitionAndKey;
import dev.waybill.outbox.InvalidMessageException.PartitionOutOfRange;
import dev.waybill.outbox.InvalidMessageException.PartitionRequired;
import dev.waybill.outbox.InvalidMessageException.PayloadTooLarge;
import dev.waybill.outbox.OutboxException.InvalidQueueName;
import dev.waybill.outbox.OutboxException.InvalidSetting;
import dev.waybill.outbox.OutboxException.QueueNotRegistered;
import dev.waybill.outbox.Partitions;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Everything that can be wrong with what a producer hands over, found before any SQL. The order is
 * fixed: queue name, then every message's type, payload size, headers, keys and delivery time, then
 * whether the queue is known, then every message's partition. One bad message refuses them all.
 */
final class Validation {
  static final int DEFAULT_MAX_PAYLOAD = 64 * 1024;

  /** Bytes; in one-byte columns it fits the index keys of every database, two of them together. */
  private static final int LONGEST_NAME = 1024;

  private static final int LONGEST_HEADER_NAME = 255;
  private static final int MOST_HEADERS = 64;
  private static final int MOST_HEADER_BYTES = 8 * 1024;

  /** Far enough for anyone, and within every database's calendar. */
  private static final Instant LATEST = Instant.parse("9999-12-31T00:00:00Z");

  private static final Duration LONGEST_DELAY = Duration.ofDays(36_500);

  private final int maxPayload;

  Validation(int maxPayload) {
    if (maxPayload < 1) {
      throw new InvalidSetting("maxPayload", "must be at least 1 byte, but is " + maxPayload);
    }
    this.maxPayload = maxPayload;
  }

  /**
   * Checks a call and says where each message goes.
   *
   * @param queues gives the partitions of a registered queue
   * @return the partition numbers, in the order of the messages
   */
  int[] check(
      String queue, List<EnqueueMessage> messages, Function<String, @Nullable Partitions> queues) {
    queueName(queue);
    for (int i = 0; i < messages.size(); i++) {
      content(i, messages.get(i));
    }
    Partitions partitions = queues.apply(queue);
    if (partitions == null) {
      throw new QueueNotRegistered(queue);
    }
    int[] numbers = new int[messages.size()];
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = partition(i, messages.get(i), queue, partitions);
    }
    return numbers;
  }

  static void queueName(String name) {
    String complaint = null;
    if (name.isEmpty()) {
      complaint = "is empty";
    } else if (name.length() > LONGEST_NAME) {
      complaint = "has " + name.length() + " characters";
    } else if (!name.chars().allMatch(Validation::isNameCharacter)) {
      complaint = "has a character that names do not have";
    } else if (!isAlphanumeric(name.charAt(0))) {
      complaint = "does not begin with a letter or digit";
    } else if (!isAlphanumeric(name.charAt(name.length() - 1))) {
      complaint = "does not end with a letter or digit";
    }
    if (complaint != null) {
      throw new InvalidQueueName(name, complaint);
    }
  }

  /** Ids that sessions take ahead would put a later message before an earlier one. */
  static void idsAtATime(long cache) {
    if (cache != 1) {
      throw new InvalidSetting(
          "CACHE of the sequence of message ids (waybill_outbox_message_sq)",
          "must be 1, or later messages would come before earlier ones, but is "
              + cache
              + ": ALTER SEQUENCE … CACHE 1");
    }
  }

  private void content(int index, EnqueueMessage message) {
    Objects.requireNonNull(
        message, () -> "Message " + index + " must not be null: EnqueueMessage.of makes one.");
    type(index, message.type());
    if (message.payloadSize() > maxPayload) {
      throw new PayloadTooLarge(index, message.payloadSize(), maxPayload);
    }
    headers(index, message.headers());
    keys(index, message);
    deliveryTime(index, message);
  }

  private static void type(int index, String type) {
    String complaint = null;
    if (type.isEmpty()) {
      complaint = "is empty";
    } else if (type.length() > LONGEST_NAME) {
      complaint = "has " + type.length() + " characters";
    } else if (!type.chars().allMatch(c -> c >= ' ' && c <= '~')) {
      complaint = "has a control or non-ASCII character";
    }
    if (complaint != null) {
      throw new InvalidMessageType(index, type, complaint);
    }
  }

  private static void headers(int index, Map<String, String> headers) {
    int bytes = 0;
    int count = 0;
    for (var header : headers.entrySet()) {
      String name = header.getKey();
      if (name.isEmpty() || name.length() > LONGEST_HEADER_NAME) {
        throw new InvalidHeader(index, name, "has a name of " + name.length() + " characters");
      }
      if (!name.chars().allMatch(Validation::isNameCharacter)) {
        throw new InvalidHeader(index, name, "has a character that names do not have");
      }
      String complaint = complaintAboutText(header.getValue());
      if (complaint != null) {
        throw new InvalidHeader(index, name, "has a value that " + complaint);
      }
      bytes += name.length() + utf8Length(header.getValue());
      count++;
      if (count > MOST_HEADERS) {
        throw new InvalidHeader(index, name, "is one too many");
      }
      if (bytes > MOST_HEADER_BYTES) {
        throw new InvalidHeader(index, name, "brings the headers to " + bytes + " bytes");
      }
    }
  }

  private static void keys(int index, EnqueueMessage message) {
    String key = message.key();
    String complaint = key == null ? null : complaintAboutKey(key);
    if (complaint != null) {
      throw new InvalidKey(index, complaint);
    }
    String dedupKey = message.dedupKey();
    complaint = dedupKey == null ? null : complaintAboutKey(dedupKey);
    if (complaint != null) {
      throw new InvalidDedupKey(index, complaint);
    }
  }

  private static void deliveryTime(int index, EnqueueMessage message) {
    Duration delay = message.delay();
    if (delay != null && (delay.isNegative() || delay.compareTo(LONGEST_DELAY) > 0)) {
      throw new InvalidDeliveryTime(
          index, "the delay must be between zero and 100 years, but is " + delay);
    }
    Instant deliverAt = message.deliverAt();
    if (deliverAt != null && deliverAt.isAfter(LATEST)) {
      throw new InvalidDeliveryTime(
          index, "the delivery time must be before the year 10000, but is " + deliverAt);
    }
  }

  private static int partition(
      int index, EnqueueMessage message, String queue, Partitions partitions) {
    Integer number = message.partition();
    String key = message.key();
    if (number != null && key != null) {
      throw new PartitionAndKey(index);
    }
    if (key != null) {
      return partitions.partitionOf(key);
    }
    if (number == null) {
      if (partitions.count() > 1) {
        throw new PartitionRequired(index, queue, partitions.count());
      }
      return 0;
    }
    if (!partitions.contains(number)) {
      throw new PartitionOutOfRange(index, queue, number, partitions.count());
    }
    return number;
  }

  private static @Nullable String complaintAboutKey(String key) {
    if (key.isEmpty()) {
      return "is empty";
    }
    int length = utf8Length(key);
    return length > LONGEST_NAME ? "has " + length + " bytes" : complaintAboutText(key);
  }

  /** What PostgreSQL (NUL), logs (control characters) or UTF-8 (lone surrogates) would choke on. */
  private static @Nullable String complaintAboutText(String text) {
    if (text.codePoints().anyMatch(Character::isISOControl)) {
      return "has a control character";
    }
    boolean torn = text.codePoints().anyMatch(c -> c >= 0xD800 && c <= 0xDFFF);
    return torn ? "is not Unicode: it has half of a surrogate pair" : null;
  }

  private static int utf8Length(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }

  private static boolean isNameCharacter(int c) {
    return isAlphanumeric(c) || c == '.' || c == '_' || c == '-';
  }

  private static boolean isAlphanumeric(int c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  }
}
