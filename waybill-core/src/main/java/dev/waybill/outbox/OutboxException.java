package dev.waybill.outbox;

import dev.waybill.WaybillException;
import java.io.Serial;

/**
 * The outbox was set up or used wrongly. Each case is a type of its own. What a producer did wrong
 * is an {@link InvalidMessageException}, what a handler did wrong a {@link BatchMisuseException},
 * what an operator did wrong a {@link DeadLetterException}; the cases here are about queues and
 * settings.
 */
public abstract sealed class OutboxException extends WaybillException
    permits OutboxException.AboutQueue,
        OutboxException.InvalidPartitionCount,
        OutboxException.InvalidSetting,
        OutboxException.NotText,
        InvalidMessageException,
        BatchMisuseException,
        DeadLetterException {
  @Serial private static final long serialVersionUID = 1L;

  OutboxException(String message) {
    super(message);
  }

  /** A case about one queue. */
  public abstract static sealed class AboutQueue extends OutboxException {
    @Serial private static final long serialVersionUID = 1L;
    private final String queue;

    private AboutQueue(String queue, String message) {
      super(message);
      this.queue = queue;
    }

    /** The queue's name as it was given. */
    public final String queue() {
      return queue;
    }
  }

  /** A queue name that is no name. */
  public static final class InvalidQueueName extends AboutQueue {
    @Serial private static final long serialVersionUID = 1L;

    /** For a name and what is wrong with it. */
    public InvalidQueueName(String queue, String complaint) {
      super(
          queue,
          "The queue name "
              + Quoted.name(queue)
              + " "
              + complaint
              + ". A name has 1 to 1024 of the characters A-Z a-z 0-9 . _ - and begins and ends"
              + " with a letter or digit.");
    }
  }

  /** Nobody has registered the queue in this process. */
  public static final class QueueNotRegistered extends AboutQueue {
    @Serial private static final long serialVersionUID = 1L;

    /** For a queue that should be known. */
    public QueueNotRegistered(String queue) {
      super(
          queue,
          "The queue "
              + Quoted.name(queue)
              + " is not registered. Name it when the outbox is built, with a handler or for"
              + " producing only; names are case-sensitive.");
    }
  }

  /** The queue has no partition of this number. */
  public static final class NoSuchPartition extends AboutQueue {
    @Serial private static final long serialVersionUID = 1L;
    private final int partition;

    /** For the number that was given and how many partitions there are. */
    public NoSuchPartition(String queue, int partition, int partitions) {
      super(
          queue,
          "The queue "
              + Quoted.name(queue)
              + " has the partitions 0 to "
              + (partitions - 1)
              + ", not "
              + partition
              + ".");
      this.partition = partition;
    }

    /** The number as it was given. */
    public int partition() {
      return partition;
    }
  }

  /** The same queue was named twice when the outbox was built. */
  public static final class QueueRegisteredTwice extends AboutQueue {
    @Serial private static final long serialVersionUID = 1L;

    /** For a queue that was named before. */
    public QueueRegisteredTwice(String queue) {
      super(
          queue,
          "The queue "
              + Quoted.name(queue)
              + " is registered already. Give each queue one handler; let that handler distinguish"
              + " by message type.");
    }
  }

  /** The database knows the queue with another number of partitions. */
  public static final class PartitionCountMismatch extends AboutQueue {
    @Serial private static final long serialVersionUID = 1L;
    private final int requested;
    private final int existing;

    /** For a queue with the number asked for and the number stored. */
    public PartitionCountMismatch(String queue, int requested, int existing) {
      super(
          queue,
          "The queue "
              + Quoted.name(queue)
              + " has "
              + existing
              + " partitions in the database, but "
              + requested
              + " were asked for. Use Partitions.of("
              + existing
              + "), or grow the queue by the explicit operation: the number decides where a key's"
              + " messages go, so it never changes in passing.");
      this.requested = requested;
      this.existing = existing;
    }

    /** How many were asked for. */
    public int requested() {
      return requested;
    }

    /** How many there are. */
    public int existing() {
      return existing;
    }
  }

  /** The queue's admission limit is reached. */
  public static final class QueueFull extends AboutQueue {
    @Serial private static final long serialVersionUID = 1L;

    /** For a queue with what waits in it, about, and its limit. */
    public QueueFull(String queue, long messages, long bytes, AdmissionLimit limit) {
      super(
          queue,
          "The queue "
              + Quoted.name(queue)
              + " is full: about "
              + messages
              + " messages ("
              + bytes
              + " bytes) wait, and it admits "
              + (limit.messages() == Long.MAX_VALUE
                  ? limit.bytes() + " bytes"
                  : limit.messages() + " messages")
              + ". Nothing was enqueued. Try again later, and see why its handler does not keep"
              + " up.");
    }
  }

  /** A number of partitions that no queue can have. */
  public static final class InvalidPartitionCount extends OutboxException {
    @Serial private static final long serialVersionUID = 1L;

    /** For a number. */
    public InvalidPartitionCount(int count) {
      super(
          "A queue cannot have "
              + count
              + " partitions: it has 1, 2, 4, 8, 16, 32 or 64, so that it can grow by doubling.");
    }
  }

  /** A setting that makes no sense. */
  public static final class InvalidSetting extends OutboxException {
    @Serial private static final long serialVersionUID = 1L;
    private final String field;

    /** For the setting's name and what is wrong with its value. */
    public InvalidSetting(String field, String complaint) {
      super("The setting " + field + " " + complaint + ".");
      this.field = field;
    }

    /** The setting's name. */
    public String field() {
      return field;
    }
  }

  /** A payload that was asked for as text is none. */
  public static final class NotText extends OutboxException {
    @Serial private static final long serialVersionUID = 1L;

    /** For a message, named by its place. */
    public NotText(String queue, int partition, long seq) {
      super(
          "The payload of message "
              + queue
              + "/"
              + partition
              + "/"
              + seq
              + " is not UTF-8 text. Use payload() for its bytes.");
    }
  }
}
