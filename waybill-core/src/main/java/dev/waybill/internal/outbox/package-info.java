/**
 * The outbox's stages and what they share.
 *
 * <p><b>Before SQL.</b> {@link dev.waybill.internal.outbox.Validation} is the one place where
 * messages are judged.
 *
 * <p><b>Who works on which partition.</b> A partition is a state, not a thread: idle, waiting (with
 * a time before which nobody touches it) or claimed. {@link dev.waybill.internal.outbox.Agenda}
 * holds those states, and nothing about idle partitions. It stands between those who learn of work
 * and those who do it twice: as {@link dev.waybill.internal.outbox.DirtyPartitions} before the
 * sequencer, and as {@link dev.waybill.internal.outbox.ReadyPartitions} before the processor.
 *
 * <p><b>The short way.</b> Messages that find their partition idle are taken by the transaction
 * that numbers them: {@link dev.waybill.internal.outbox.Express}. All others are numbered first and
 * fetched by a delivery later.
 *
 * <p><b>What became of a batch.</b> A {@link dev.waybill.internal.outbox.LeasedBatch} turns what a
 * handler did and answered into a {@link dev.waybill.internal.outbox.Settlement}, which always says
 * how far the cursor moves; {@link dev.waybill.internal.outbox.PartitionMode} turns a streak of
 * such outcomes into batch size and delay.
 *
 * <p><b>Parked keys.</b> Where a queue parks keys, the cursor passes a message that failed, and
 * later ones of its key; they wait in the database, and {@link dev.waybill.internal.outbox.Parking}
 * divides each delivery into what is handled and what follows them. A turn serves the cursor first
 * and then the parked keys that are due; {@link dev.waybill.internal.outbox.Ending} says when the
 * partition is to be looked at again.
 *
 * <p><b>How it goes.</b> {@link dev.waybill.internal.outbox.Statistics} counts for this process,
 * {@link dev.waybill.internal.outbox.PaceKeeper} writes the last half minute down for all.
 */
@NullMarked
package dev.waybill.internal.outbox;

import org.jspecify.annotations.NullMarked;
