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
 *
 * <p>For those who write migrations:
 *
 * <ul>
 *   <li>Names are written as {@link dev.waybill.internal.schema.Names} explains.
 *   <li>On MySQL and MariaDB each statement commits by itself, so each must be atomic: it has taken
 *       effect or it has not. One table per {@code drop}, nothing that is made from a query.
 *   <li>The undo script must run on every state that the migration can stop in, and after itself:
 *       {@code drop … if exists}. Where MySQL does not know that, ask its catalogue and prepare the
 *       statement.
 *   <li>A function of PostgreSQL that a script without a schema creates looks for its tables where
 *       its caller does, unless it says {@code set search_path from current}.
 *   <li>A cutover's {@code validate} statements do nothing, or fail, while old rows are left,
 *       because printed scripts contain them; and each can be repeated, because it is resumed.
 * </ul>
 */
@NullMarked
package dev.waybill.internal.schema;

import org.jspecify.annotations.NullMarked;
