/** What is sent, what arrived, and whether that is what was promised. */
@NullMarked
package dev.waybill.bench.load;

import org.jspecify.annotations.NullMarked;
