/**
 * The guard that knows exactly which schema this release may run on.
 *
 * <p>{@link dev.waybill.schema.Schema#migrate} brings the tables up to date under a lock that holds
 * across processes; {@link dev.waybill.schema.Schema#check} reads, on one snapshot, whether they
 * are, for deployments whose DDL is applied by others. Both give the same verdicts, in the same
 * order of precedence: a migration that differs from ours ({@code ChecksumConflict}), one that was
 * left half-done ({@code Dirty}), a newer release that ours must not run beside ({@code
 * NewerRelease}), one that is missing ({@code TooOld}; {@code migrate} applies it instead), rows
 * that an irreversible step still forbids ({@code DataNotReady}).
 *
 * <p>Two tables tell: the <em>history</em>, one row per migration, in which a newer release may
 * have rows that this one does not know and tolerates (additive changes), and the <em>fence</em>,
 * in which a newer release leaves a row exactly when older ones must stop.
 */
@NullMarked
package dev.waybill.schema;

import org.jspecify.annotations.NullMarked;
