package dev.waybill.job;

/** How an attempt ended. */
public enum AttemptOutcome {
  /** The handler succeeded. */
  SUCCEEDED,
  /** The handler asked for another attempt. */
  RETRYABLE,
  /** The handler said that no attempt can help. */
  TERMINAL,
  /** The handler let an exception out. */
  PANICKED,
  /** The handler was not done at its deadline. */
  TIMEOUT,
  /** Nobody renewed the lease. */
  LEASE_EXPIRED,
  /** The job was canceled meanwhile. */
  CANCELED,
  /** The handler wants to go on in a further run. */
  CONTINUED,
  /** The worker gave the job back; the attempt does not count. */
  RELEASED
}
