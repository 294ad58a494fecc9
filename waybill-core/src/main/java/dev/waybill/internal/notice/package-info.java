/**
 * How processes wake each other. On PostgreSQL one connection per process listens; elsewhere nobody
 * says anything and everybody looks. A process that knows that no other one listens says nothing: a
 * notice costs a commit.
 *
 * <p>Who listens says {@code HERE} when it begins and every few minutes, and {@code WELCOME} when
 * it has learnt of somebody. Whoever hears a welcome looks at the tables: what its sender left
 * unsaid before, because it thought that it was alone, is committed; what comes later it will say.
 */
@NullMarked
package dev.waybill.internal.notice;

import org.jspecify.annotations.NullMarked;
