/**
 * Real databases, manual time and injected faults for tests.
 *
 * <p>Knows nothing of the core, so that the core can be tested with it.
 *
 * <h2>Databases</h2>
 *
 * <p>A test class says {@link dev.waybill.testkit.EveryDatabase} and gets a {@link
 * dev.waybill.testkit.TestDatabase}; {@link dev.waybill.testkit.NotOn} excepts a case, with a
 * reason. A test that must hurt a server starts its own {@link dev.waybill.testkit.TestServer}.
 *
 * <p>Behind that, from the outside in:
 *
 * <ul>
 *   <li>{@code DatabaseInvocations} and {@code OnDatabase} tell JUnit to run a class once per
 *       {@code Edition}, a product in the version we test. {@code LeftOut} is what the user asked
 *       to leave out, and {@code TestCounts} keeps the books.
 *   <li>{@code UsersServers} tries the servers that the user brings before any test.
 *   <li>{@code ServerHost} and {@code SqliteHost} create databases and drop them.
 *   <li>{@code BuildServers} starts a server when the first test JVM of a build needs it, and lets
 *       the later ones find it.
 *   <li>{@code ServerProcess} is a running server; {@code run-server.sh} runs it under a guard that
 *       ends it when the build is gone, even if the build was killed.
 *   <li>{@code PostgresProgram}, {@code MariaDbProgram} and {@code MySqlProgram} know how one
 *       product is unpacked, initialised and run.
 *   <li>{@code ServerJar} unpacks, and {@code ServerCache} keeps what was unpacked or initialised
 *       for the user's next builds.
 * </ul>
 */
@NullMarked
package dev.waybill.testkit;

import org.jspecify.annotations.NullMarked;
