/**
 * What {@link dev.waybill.Doctor} looks at.
 *
 * <p>{@link dev.waybill.internal.doctor.Examination} is the table of contents: the topics in the
 * order in which they are reported, first those of every database, then those of its kind. A topic
 * is a small class that asks and judges; it knows neither how a connection is had nor what becomes
 * of an error. A {@code Patient} is the database on the couch, {@code Findings} is the pad.
 *
 * <ul>
 *   <li><b>Nothing is changed.</b> All is read on snapshots that the database refuses any write.
 *       The one exception are the privileges of MySQL and MariaDB, which no catalogue tells
 *       reliably (roles, patterns): there a statement of each kind is tried on no row, in a
 *       transaction that is rolled back.
 *   <li><b>Nothing is costly.</b> Catalogues, settings, the tables with a row per partition, and
 *       the heads of at most a hundred lines by primary key, without payloads. Every query has a
 *       limit, and none waits long for a lock.
 *   <li><b>Nothing is thrown</b> but that the database is gone. A topic that fails is a finding;
 *       the next one is examined all the same.
 *   <li><b>What should be there</b> is read off the migrations of this release, as far as the
 *       history says that they were applied: there is no second list.
 *   <li><b>A missing message is seen twice</b> before it is reported. On PostgreSQL an old snapshot
 *       does not see what was truncated or carried elsewhere meanwhile; a second look, on a new
 *       one, does. Elsewhere it costs nothing, as it only happens where something seems to be
 *       missing.
 * </ul>
 */
@NullMarked
package dev.waybill.internal.doctor;

import org.jspecify.annotations.NullMarked;
