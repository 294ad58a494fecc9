/** Tests of the console: its API and its doors on real databases, its page in a real browser. */
@NullMarked
package dev.waybill.console;

import org.jspecify.annotations.NullMarked;
