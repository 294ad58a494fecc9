/**
 * A web console in the service's own process.
 *
 * <p>{@code Console.start} binds a small HTTP server. A request passes, in this order: {@code
 * Server} (limits, headers) → {@code Doorkeeper} (which host, who, may they, is it no forgery) →
 * {@code Routes} (the table of the REST API) → one of the {@code …Pages}, which ask Waybill's
 * public API and answer with {@code Doc}s. The page itself is static files that use nothing but
 * that API.
 *
 * <p>What is live comes from one {@code Sampler} for all watchers; it rests while there are none.
 */
@NullMarked
package dev.waybill.console;

import org.jspecify.annotations.NullMarked;
