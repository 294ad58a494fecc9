/**
 * {@code ./waybill chaos}: processes deliver and produce while they, their connections and their
 * server are hurt in every way we know; afterwards the history is compared with the guarantees.
 *
 * <p>A {@link dev.waybill.chaos.Storm} is that on one database. It draws {@link
 * dev.waybill.chaos.Harm}s from a {@link dev.waybill.chaos.Deck} that its seed has shuffled, and
 * inflicts each on a {@link dev.waybill.chaos.Seat}, which is one {@link
 * dev.waybill.chaos.WorkerMain} after the other with a network of its own, or on the server. After
 * each it waits until messages flow again; nobody is restarted for that. The workers write into
 * files what they were given before they answer for it, so it survives their death; producers leave
 * a row of business in the transaction of their messages. {@link
 * dev.waybill.testkit.HistoryChecker} compares the two.
 */
@NullMarked
package dev.waybill.chaos;

import org.jspecify.annotations.NullMarked;
