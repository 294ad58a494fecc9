package dev.waybill.outbox;

/**
 * How much may wait in a queue before producers are refused. Kept approximately: what waits is read
 * a few times per second, not counted in every transaction; bytes are estimated from the messages
 * this process enqueued.
 *
 * @param messages at least 1
 * @param bytes at least 1
 */
public record AdmissionLimit(long messages, long bytes) {
  /** Refuses limits that admit nothing. */
  public AdmissionLimit {
    Settings.require(messages >= 1, "admission.messages", "must be at least 1, but is " + messages);
    Settings.require(bytes >= 1, "admission.bytes", "must be at least 1, but is " + bytes);
  }

  /** At most so many messages. */
  public static AdmissionLimit messages(long messages) {
    return new AdmissionLimit(messages, Long.MAX_VALUE);
  }

  /** At most about so many bytes. */
  public static AdmissionLimit bytes(long bytes) {
    return new AdmissionLimit(Long.MAX_VALUE, bytes);
  }
}
