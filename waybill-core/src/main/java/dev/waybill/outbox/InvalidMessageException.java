package dev.waybill.outbox;

import java.io.Serial;

/**
 * A message that cannot be enqueued. Nothing was sent to the database, nothing of its batch either.
 * No text contains a payload, a key or a header's value.
 */
public abstract sealed class InvalidMessageException extends OutboxException {
  @Serial private static final long serialVersionUID = 1L;
  private final int index;

  private InvalidMessageException(int index, String message) {
    super("Message " + index + ": " + message);
    this.index = index;
  }

  /** Which message of the call, from 0. */
  public final int index() {
    return index;
  }

  /** The type is no type. */
  public static final class InvalidMessageType extends InvalidMessageException {
    @Serial private static final long serialVersionUID = 1L;

    /** For a type and what is wrong with it. */
    public InvalidMessageType(int index, String type, String complaint) {
      super(
          index,
          "the type "
              + Quoted.name(type)
              + " "
              + complaint
              + ". A type has 1 to 1024 printable ASCII characters, such as order.placed or"
              + " application/json.");
    }
  }

  /** The payload is larger than allowed. */
  public static final class PayloadTooLarge extends InvalidMessageException {
    @Serial private static final long serialVersionUID = 1L;
    private final int size;
    private final int max;

    /** For a size and the limit, in bytes. */
    public PayloadTooLarge(int index, int size, int max) {
      super(
          index,
          "the payload has "
              + size
              + " bytes, at most "
              + max
              + " are allowed. Store the content elsewhere and enqueue a reference to it, or raise"
              + " the payload limit.");
      this.size = size;
      this.max = max;
    }

    /** How many bytes it has. */
    public int size() {
      return size;
    }

    /** How many it may have. */
    public int max() {
      return max;
    }
  }

  /** The payload cannot be stored as it is. */
  public static final class InvalidPayload extends InvalidMessageException {
    @Serial private static final long serialVersionUID = 1L;

    /** For what is wrong with it. */
    public InvalidPayload(int index, String complaint) {
      super(index, complaint + ". Repair the text, or enqueue bytes.");
    }
  }

  /** A header that cannot be stored, or too many of them. */
  public static final class InvalidHeader extends InvalidMessageException {
    @Serial private static final long serialVersionUID = 1L;

    /** For the header's name and what is wrong with it. */
    public InvalidHeader(int index, String name, String complaint) {
      super(
          index,
          "the header "
              + Quoted.name(name)
              + " "
              + complaint
              + ". A name has 1 to 255 of the characters A-Z a-z 0-9 . _ -, a value no control"
              + " characters; there are at most 64 headers, 8192 bytes in all.");
    }
  }

  /** The key cannot be stored. */
  public static final class InvalidKey extends InvalidMessageException {
    @Serial private static final long serialVersionUID = 1L;

    /** For what is wrong with it. */
    public InvalidKey(int index, String complaint) {
      super(
          index,
          "the key " + complaint + ". A key has 1 to 1024 bytes of UTF-8, no control characters.");
    }
  }

  /** The de-duplication key cannot be stored. */
  public static final class InvalidDedupKey extends InvalidMessageException {
    @Serial private static final long serialVersionUID = 1L;

    /** For what is wrong with it. */
    public InvalidDedupKey(int index, String complaint) {
      super(
          index,
          "the de-duplication key "
              + complaint
              + ". It has 1 to 1024 bytes of UTF-8, no control characters.");
    }
  }

  /** The delivery time is none. */
  public static final class InvalidDeliveryTime extends InvalidMessageException {
    @Serial private static final long serialVersionUID = 1L;

    /** For what is wrong with it. */
    public InvalidDeliveryTime(int index, String complaint) {
      super(index, complaint + ".");
    }
  }

  /** The queue has no such partition. */
  public static final class PartitionOutOfRange extends InvalidMessageException {
    @Serial private static final long serialVersionUID = 1L;
    private final int partition;
    private final int count;

    /** For the number asked for and how many there are. */
    public PartitionOutOfRange(int index, String queue, int partition, int count) {
      super(
          index,
          "the queue "
              + Quoted.name(queue)
              + " has no partition "
              + partition
              + ": it has "
              + count
              + ", counted from 0. Use a key to have the partition chosen.");
      this.partition = partition;
      this.count = count;
    }

    /** The number asked for. */
    public int partition() {
      return partition;
    }

    /** How many partitions there are. */
    public int count() {
      return count;
    }
  }

  /** The message has neither a partition nor a key, and the queue has several partitions. */
  public static final class PartitionRequired extends InvalidMessageException {
    @Serial private static final long serialVersionUID = 1L;

    /** For a queue and its number of partitions. */
    public PartitionRequired(int index, String queue, int count) {
      super(
          index,
          "the queue "
              + Quoted.name(queue)
              + " has "
              + count
              + " partitions and the message names none. Order holds per partition only, so say"
              + " which: with key(…), such as the customer's id, or with partition(…).");
    }
  }

  /** The message has a partition and a key. */
  public static final class PartitionAndKey extends InvalidMessageException {
    @Serial private static final long serialVersionUID = 1L;

    /** For such a message. */
    public PartitionAndKey(int index) {
      super(
          index,
          "it has a partition and a key. The key decides the partition: leave one of them out.");
    }
  }
}
