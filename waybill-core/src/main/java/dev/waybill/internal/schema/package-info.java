/**
 * The schema guard behind {@link dev.waybill.schema.Schema}.
 *
 * <p>{@link dev.waybill.internal.schema.Migrations} is the bundle of this release: numbered up
 * scripts per dialect, each with its undo script for operators, and the cutovers that complete
 * them. {@link dev.waybill.internal.schema.Verdict} is the order of precedence, written once and
 * used by everyone. {@link dev.waybill.internal.schema.SchemaGuard} does the work on top of the
 * store.
 *
 * <p>One run of {@code migrate}: take a session that is never given back while it may hold the lock
 * → lock → create the history table if missing → read the history → judge → apply what is missing,
 * gaps included → unlock, always → on success of all that, outside the lock, complete the cutovers.
 * A migration error wins over an unlock error; an unlock error alone stops before the cutovers. An
 * interrupt does not stop DDL in the middle; it is kept and seen afterwards.
 */
@NullMarked
package dev.waybill.internal.schema;

import org.jspecify.annotations.NullMarked;
