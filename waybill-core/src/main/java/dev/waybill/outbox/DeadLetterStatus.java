package dev.waybill.outbox;

/**
 * Where a dead letter stands.
 *
 * <pre>
 * PENDING ──claim──▶ REPROCESSING ──resolve──▶ RESOLVED
 *    ▲                  │
 *    └──────reject──────┘
 * PENDING ──requeue──▶ RESOLVED
 * PENDING ──discard──▶ DISCARDED
 * </pre>
 *
 * One whose claim has passed its deadline can be claimed, requeued or discarded like a pending one.
 */
public enum DeadLetterStatus {
  /** Nobody has taken it up. */
  PENDING,
  /** Somebody has claimed it, until its deadline. */
  REPROCESSING,
  /** It was dealt with, or is a message again. */
  RESOLVED,
  /** It was given up for good. */
  DISCARDED
}
