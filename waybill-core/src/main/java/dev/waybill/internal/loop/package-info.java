/**
 * Threads and time. Everything Waybill does in the background runs here; nothing here knows SQL.
 *
 * <p><b>Who owns what.</b> A {@link dev.waybill.internal.loop.Worker} is a function that does one
 * piece of work and says when it wants to be called again. It owns no thread, does not sleep, does
 * not catch in order to carry on and does not count its failures: one loop, the same for all
 * workers, does that. A {@link dev.waybill.internal.loop.Crew} owns the threads, one per worker and
 * one per running task; they are virtual where that is safe, and always daemons. Concurrency is
 * limited by {@link dev.waybill.internal.loop.Permits}, never by the size of a thread pool. All
 * waiting goes through {@link dev.waybill.internal.loop.Time}, so that a test decides when time
 * passes. No lock of this package is held while foreign code (a worker, a task, a listener) runs.
 *
 * <p><b>What a ring guarantees.</b> A {@link dev.waybill.internal.loop.Bell} says "there may be
 * something to do", not how much. After {@code ring()} has returned, at least one loop on that bell
 * will <i>begin</i> a run, and that run sees everything that happened before the ring. So a ring
 * may come at any moment: before the crew is started, during a run, during a backoff. Rings that
 * nobody has answered yet coalesce. A ring shortens only waits that asked for it ({@code sleep} and
 * {@code whenRung}); it is remembered across the others. A ring counts as answered when a run that
 * began after it returned normally; a loop that ends owing an answer rings the bell again for its
 * neighbours.
 *
 * <p><b>Why errors retry by timer.</b> A failed run has perhaps swallowed the only ring there will
 * be today, and whatever broke will not ring when it is mended. So a failure, an {@code Error}
 * included, is followed by another run after a growing, jittered delay; no event is needed for it,
 * and none shortens it, or a busy system would hammer a database that is already down. Likewise a
 * worker that lost a race (somebody else holds the lease) must return a {@link
 * dev.waybill.internal.loop.Next} with a time in it: the winner may die without ringing. For the
 * same reason every loop begins with one unconditional run, and no failure ends a loop.
 *
 * <p><b>What stop guarantees.</b> {@code Crew.stop(grace)} returns after at most the grace period
 * and a second, whatever the workers do. Waiting loops end at once. A run in progress is left alone
 * until the grace period is over; then its thread is interrupted; who still has not ended is named
 * in the report and in the log and left behind on a daemon thread. Stopping is legal at any time,
 * from any thread, any number of times; a worker that stops its own crew is not waited for. A
 * stopped crew stays stopped.
 */
@NullMarked
package dev.waybill.internal.loop;

import org.jspecify.annotations.NullMarked;
