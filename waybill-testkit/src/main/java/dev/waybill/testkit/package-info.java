/**
 * Real databases, manual time and injected faults for tests.
 *
 * <p>Knows nothing of the core, so that the core can be tested with it.
 */
@NullMarked
package dev.waybill.testkit;

import org.jspecify.annotations.NullMarked;
