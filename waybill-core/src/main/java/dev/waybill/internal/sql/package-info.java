/**
 * Micro-JDBC: statements from {@code .sql} files, transactions, and errors classified by code.
 * Knows no domain.
 *
 * <p>The way down: a {@link dev.waybill.internal.sql.Database} lends a {@link
 * dev.waybill.internal.sql.Session} (one connection of ours, prepared with the isolation we rely
 * on), a session runs a unit of work in a {@link dev.waybill.internal.sql.Tx} and repeats the
 * <em>whole</em> unit when the database reports contention, and a transaction executes named
 * statements of the {@link dev.waybill.internal.sql.Statements} catalogue. Where a commit is a
 * round trip, work whose statements need not stand or fall together may do without. A caller's own
 * connection becomes a {@code Tx} too, but is never prepared, committed or retried: it is checked
 * and used as it is.
 *
 * <p>Statements are text in files, one named block each, with named parameters. Table names begin
 * with the literal prefix {@code waybill_} there; loading the catalogue replaces it once by the
 * user's validated, quoted and schema-qualified name. Everything else is bound.
 *
 * <p>Times cross this border as microseconds since 1970 in a {@code long}; each dialect's SQL
 * converts from and to its own type, so no driver's time-zone rules are involved.
 */
@NullMarked
package dev.waybill.internal.sql;

import org.jspecify.annotations.NullMarked;
