/**
 * How processes wake each other. On PostgreSQL one connection per process listens; elsewhere nobody
 * says anything and everybody looks. A process that knows that no other one listens says nothing: a
 * notice costs a commit.
 *
 * <p>Who listens says {@code HERE} when it begins, whenever it hears somebody new, and every few
 * minutes. Whoever hears of somebody new looks at the tables: that one said {@code HERE} because it
 * knows of us from now on, and what it left unsaid until then is committed.
 */
@NullMarked
package dev.waybill.internal.notice;

import org.jspecify.annotations.NullMarked;
